import { CLOSE_ARRAY, COMMA, isBlank, isClosing, OPEN_ARRAY } from '../../../lib/json-bytes.ts'
import { openValue } from '../../../lib/json-scalar.ts'
import { valueEnd } from '../../../lib/json-values.ts'
import { BrokenError, type EndOf } from './splitting.ts'

/** Where in a file of JSON: before it, after an element of its array, or after one of several values without an array. */
export type JsonPlace = 'start' | 'array' | 'values'

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
  const open = openValue()
  const end = valueEnd(bytes, from, open, refuse)
  if (end !== -1 || !isLast) return end
  if (open.bare) return bytes.length
  throw new BrokenError('what begins here has no end. Is the file cut off?', from)
}

function refuse(at: number): never {
  throw new BrokenError('a line break or control character within a text.', at)
}
