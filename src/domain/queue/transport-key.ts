import { isId } from '../values/id.ts'

/** Separator of a duplicated header. */
const BETWEEN = ', '

/** Normalised event id: GUIDs vary in case, braces and dashes, and a proxy may duplicate the header. Null: none or zeros. */
export function transportKeyOf(written: string): string | null {
  const copies = new Set(written.split(BETWEEN).map((one) => one.trim()))
  const [only = ''] = copies
  const key = copies.size === 1 ? only : written.trim()
  return isId(key) ? (dashed(plainGuid(key)) ?? key) : null
}

/** Null: no GUID. */
export function plainGuid(text: string): string | null {
  const plain = text
    .trim()
    .replace(/^\{|\}$/g, '')
    .replaceAll('-', '')
    .toLowerCase()
  return /^[0-9a-f]{32}$/.test(plain) ? plain : null
}

function dashed(guid: string | null): string | null {
  return guid?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') ?? null
}
