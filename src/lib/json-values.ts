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

/** A value of which not all has come: how far it was gone through. */
interface OpenValue {
  begun: boolean
  /** A word or a number: it ends where something else begins. */
  bare: boolean
  /** Brackets and braces that are open. */
  depth: number
  /** Within a text, and there after a backslash. */
  quoted: boolean
  escaped: boolean
}

/** A value of which nothing has come yet. */
export function openValue(): OpenValue {
  return { begun: false, bare: false, depth: 0, quoted: false, escaped: false }
}

/** The place behind a word or a number that goes on at `from`; -1: these bytes do not hold its end. */
function bareEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (isBlank(byte) || byte === COMMA || isClosing(byte)) return at
  }
  return -1
}

/** Behind the quote that ends the text which goes on at `from`. */
function textEnd(bytes: Uint8Array, from: number, open: OpenValue, refuse: ((at: number) => never) | null): number {
  let at = open.escaped ? from + 1 : from
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) {
      open.quoted = false
      open.escaped = false
      return at + 1
    }
    if (byte === BACKSLASH) at += 1
    else if (byte < 0x20) refuse?.(at)
  }
  open.quoted = true
  // A backslash was the last of these bytes.
  open.escaped = at > bytes.length
  return -1
}

/* The bytes of JSON that a value is told apart by. */

export const QUOTE = 0x22
export const COMMA = 0x2c
export const OPEN_ARRAY = 0x5b
export const CLOSE_ARRAY = 0x5d
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** The byte is one that may stand around values. */
export function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

export function isOpening(byte: number): boolean {
  return byte === OPEN_ARRAY || byte === OPEN_OBJECT
}

export function isClosing(byte: number): boolean {
  return byte === CLOSE_ARRAY || byte === CLOSE_OBJECT
}
