import { BACKSLASH, COMMA, isBlank, isClosing, QUOTE } from './json-bytes.ts'

/** A value of which not all has come: how far it was gone through. */
export interface OpenValue {
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
export function bareEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (isBlank(byte) || byte === COMMA || isClosing(byte)) return at
  }
  return -1
}

/** Behind the quote that ends the text which goes on at `from`. */
export function textEnd(
  bytes: Uint8Array,
  from: number,
  open: OpenValue,
  refuse: ((at: number) => never) | null,
): number {
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
