import { BrokenError, type EndOf } from './splitting.ts'
import { LF } from './text.ts'

/** Where in a file of JSON: before it, after an element of its array, or after one of several values without an array. */
export type JsonPlace = 'start' | 'array' | 'values'

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Elements of an array, each with what stands before it; or values one after the other. `moved` is told where it is after
 * each.
 */
export function jsonEnd(begin: JsonPlace, moved: (place: JsonPlace) => void): EndOf {
  let after: JsonPlace | 'end' = begin
  return (bytes, from, isLast) => {
    let place: JsonPlace | 'first' | 'next' | 'end' = after
    let at = from
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0
      if (isBlank(byte)) continue
      if (place === 'end') throw new BrokenError('more text after the end of the array.', at)
      if (place === 'start' && byte === OPEN_ARRAY) place = 'first'
      else if (place === 'array' && byte === COMMA) place = 'next'
      else if ((place === 'array' || place === 'first') && byte === CLOSE_ARRAY) place = 'end'
      else break
    }
    if (at === bytes.length) {
      if (!isLast) return -1
      if (place === 'first' || place === 'next' || place === 'array')
        throw new BrokenError('the array has no end. Is the file cut off?', at)
      after = place
      return at
    }
    const byte = bytes[at] ?? 0
    if (place === 'array' || byte === COMMA || isClosing(byte))
      throw new BrokenError(`${JSON.stringify(String.fromCharCode(byte))} where something else should be.`, at)
    const end = elementEnd(bytes, at, isLast)
    if (end === -1) return -1
    after = place === 'first' || place === 'next' ? 'array' : 'values'
    moved(after)
    return end
  }
}

/** The element of a piece, and where in the piece it begins; null: there is none in it. */
export function elementIn(bytes: Buffer, isFirst: boolean): { at: number; bytes: Buffer } | null {
  let mayOpen = isFirst
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    const opens = mayOpen && byte === OPEN_ARRAY
    if (opens) mayOpen = false
    if (!opens && !isBlank(byte) && byte !== COMMA && byte !== CLOSE_ARRAY) return { at, bytes: bytes.subarray(at) }
  }
  return null
}

function elementEnd(bytes: Buffer, from: number, isLast: boolean): number {
  const begin = bytes[from] ?? 0
  if (begin !== QUOTE && !isOpening(begin)) return bareEnd(bytes, from, isLast)
  let depth = 0
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) {
      const end = stringEnd(bytes, at)
      if (end === -1) break
      at = end - 1
    } else if (isOpening(byte)) depth += 1
    else if (isClosing(byte)) depth -= 1
    if (depth === 0) return at + 1
  }
  if (isLast) throw new BrokenError('what begins here has no end. Is the file cut off?', from)
  return -1
}

function stringEnd(bytes: Buffer, from: number): number {
  for (let at = from + 1; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === BACKSLASH) at += 1
    else if (byte === QUOTE) return at + 1
    else if (byte < 0x20) throw new BrokenError('a line break or control character within a text.', at)
  }
  return -1
}

/** A bare word or number ends where something else begins. */
function bareEnd(bytes: Buffer, from: number, isLast: boolean): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (isBlank(byte) || byte === COMMA || isClosing(byte)) return at
  }
  return isLast ? bytes.length : -1
}

/** Values as they are typed: digits that a number of JavaScript cannot hold stay, as text. Throws a SyntaxError. */
export function parseJson(text: string): unknown {
  return /[\d.]{16,}/.test(text) ? JSON.parse(text, keepTyped) : JSON.parse(text)
}

function keepTyped(_: string, value: unknown, { source }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value
  return /^-?\d+(\.\d+)?$/.test(source) ? source : value
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === LF || byte === 0x0d || byte === 0x09
}

function isOpening(byte: number): boolean {
  return byte === OPEN_ARRAY || byte === OPEN_OBJECT
}

function isClosing(byte: number): boolean {
  return byte === CLOSE_ARRAY || byte === CLOSE_OBJECT
}
