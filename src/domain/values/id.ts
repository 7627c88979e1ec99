import { text } from './field.ts'

/**
 * An id in JSON that somebody else wrote: text or a number, trimmed. Null where there is none. Programs write nothing, 0 or a GUID of
 * zeros for "none" (`.NET` does by itself), and such a value is the same for everybody: to take it for an id would make one of
 * what is two.
 *
 * It is for what a program gave out and what something is told by: customers, orders, refunds, movements, stocks, rows. What people
 * or a POS count (a store's number, a POS, a receipt) is read as text: there 0 may be one, and names nothing by itself.
 */
export function idText(value: unknown, name: string): string | null {
  const found = text(value, name)
  return found !== null && isId(found) ? found : null
}

/** Whether a text can be an id: not if it is empty, or has nothing but zeros (0, `00000000-0000-…`, `{0000…}`). */
export function isId(written: string): boolean {
  const trimmed = written.trim()
  const bare = isBraced(trimmed) ? trimmed.slice(1, -1).trim() : trimmed
  return bare !== '' && !(bare.includes('0') && /^[-0]+$/.test(bare))
}

/** `{…}` and `(…)`, as some programs write a GUID. */
function isBraced(written: string): boolean {
  return written.length > 1 && '{('.includes(written.charAt(0)) && '})'.includes(written.at(-1) ?? ' ')
}
