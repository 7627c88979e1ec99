import { isClosing, isOpening, QUOTE } from './json-bytes.ts'
import { bareEnd, type OpenValue, openValue, textEnd } from './json-scalar.ts'

/*
 * Where a value of JSON ends, found in its bytes without reading it: files and answers of many megabytes are gone through one
 * value at a time, and a value may come in pieces.
 */

/**
 * The place behind the value that begins at `from`; -1: these bytes do not hold its end. Then it goes on at the beginning of the
 * next ones, with the same `open`. Whether it is JSON, only who reads it knows. `refuse` is told where a control character
 * stands in a text, so that a quote too few does not make one text of all that follows.
 */
export function valueEnd(
  bytes: Uint8Array,
  from: number,
  open: OpenValue = openValue(),
  refuse: ((at: number) => never) | null = null,
): number {
  let at = from
  if (at >= bytes.length) return -1
  if (!open.begun) {
    const first = bytes[at] ?? 0
    open.begun = true
    open.bare = first !== QUOTE && !isOpening(first)
  }
  if (open.bare) return bareEnd(bytes, at)
  if (open.quoted) {
    at = textEnd(bytes, at, open, refuse)
    if (at === -1 || open.depth === 0) return at
  }
  let { depth } = open
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0
    at += 1
    if (byte === QUOTE) {
      const end = textEnd(bytes, at, open, refuse)
      if (end === -1) break
      at = end
    } else if (isOpening(byte)) depth += 1
    else if (isClosing(byte)) depth -= 1
    if (depth === 0) return at
  }
  open.depth = depth
  return -1
}
