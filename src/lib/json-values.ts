/** Finds the end of JSON values in bytes without parsing, across chunks: large files are read value by value. */

/**
 * Index after the value starting at `from`; -1: continue with the next chunk and the same `open`. `refuse` reports control characters in
 * texts, which a missing quote produces.
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

interface OpenValue {
  begun: boolean
  /** A number or literal. */
  bare: boolean
  depth: number
  quoted: boolean
  escaped: boolean
}

export function openValue(): OpenValue {
  return { begun: false, bare: false, depth: 0, quoted: false, escaped: false }
}

/** -1: not in these bytes. */
function bareEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (isBlank(byte) || byte === COMMA || isClosing(byte)) return at
  }
  return -1
}

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
  // The chunk ended in a backslash.
  open.escaped = at > bytes.length
  return -1
}

export const QUOTE = 0x22
export const COMMA = 0x2c
export const OPEN_ARRAY = 0x5b
export const CLOSE_ARRAY = 0x5d
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

export function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

export function isOpening(byte: number): boolean {
  return byte === OPEN_ARRAY || byte === OPEN_OBJECT
}

export function isClosing(byte: number): boolean {
  return byte === CLOSE_ARRAY || byte === CLOSE_OBJECT
}
