import { isId } from '../values/id.ts'

/** The sign between copies of one header that came twice. */
const BETWEEN = ', '

/**
 * The platform's name of an event, in one form: its header and its log may write one GUID in two ways (capitals, braces, without
 * dashes), and a proxy may have doubled the header. Null: there is none, or nothing but zeros.
 */
export function transportKeyOf(written: string): string | null {
  const copies = new Set(written.split(BETWEEN).map((one) => one.trim()))
  const [only = ''] = copies
  const key = copies.size === 1 ? only : written.trim()
  return isId(key) ? (dashed(plainGuid(key)) ?? key) : null
}

/** A GUID without what it may be written with: dashes, braces, capitals. Null: it is none. */
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
