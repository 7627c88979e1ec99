import { SEGMENT } from '../search-key.ts'

/*
 * The keys of a segment of events that begin with the same byte, as one piece: of each its next bytes, and the event's number
 * within the segment, in the order of the keys. What is cut off of a key makes one in a million questions find too much at ten
 * million events.
 */

const KEY = 5

/** Bytes of a key in a piece: its next ones, and the number of its event. */
export const ENTRY = KEY + 2

/** How many pieces a segment has. */
export const PREFIXES = 256

/** A key that was indexed, in hex, and its event. */
export interface IndexedKey {
  key: string
  event: number
}

/** A key, the place of a piece in which it may lie, and the event that this counts from. */
export interface Sought {
  key: string
  place: number
  first: number
}

/** Where these keys (hex) may lie in segments. */
export function inSegments(segments: readonly number[], keys: readonly string[]): Sought[] {
  return segments.flatMap((segment) =>
    keys.map((key) => ({ key, place: placeOf(segment, key), first: segment * SEGMENT })),
  )
}

/** Where the piece of a segment and of a key's first byte lies. */
export function placeOf(segment: number, key: string): number {
  return segment * PREFIXES + Number.parseInt(key.slice(0, 2), 16)
}

/** Keys of one piece, in any order. `first`: the segment's first event. */
export function packKeys(keys: readonly IndexedKey[], first: number): Buffer {
  const sorted = [...keys].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.event - b.event))
  const body = Buffer.alloc(sorted.length * ENTRY)
  sorted.forEach(({ key, event }, nth) => {
    body.write(key.slice(2, 2 + 2 * KEY), nth * ENTRY, 'hex')
    body.writeUInt16LE(event - first, nth * ENTRY + KEY)
  })
  return body
}

/** Goes through the entries of a piece. `nth`: the number of the event there. */
export function eachEntry(body: Uint8Array, take: (entry: Buffer, nth: number) => void): void {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  for (let at = 0; at < bytes.byteLength; at += ENTRY)
    take(bytes.subarray(at, at + ENTRY), bytes.readUInt16LE(at + KEY))
}

/** A piece in which these events have a key (hex) no more. */
export function withoutKeys(body: Uint8Array, key: string, events: readonly number[], first: number): Buffer {
  const entries = new Set(events.map((event) => packKeys([{ key, event }], first).toString('hex')))
  return keeping(body, (entry) => !entries.has(entry.toString('hex')))
}

/** A piece with the keys of these events alone. */
export function onlyOf(body: Uint8Array, events: ReadonlySet<number>, first: number): Buffer {
  return keeping(body, (_, nth) => events.has(first + nth))
}

function keeping(body: Uint8Array, keeps: (entry: Buffer, nth: number) => boolean): Buffer {
  const left: Buffer[] = []
  eachEntry(body, (entry, nth) => {
    if (keeps(entry, nth)) left.push(entry)
  })
  return Buffer.concat(left)
}

/** The events in a piece that have a key (hex). */
export function eventsIn(body: Uint8Array, key: string, first: number): number[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const wanted = Buffer.from(key.slice(2, 2 + 2 * KEY), 'hex')
  const events: number[] = []
  for (let at = 0; at < bytes.byteLength; at += ENTRY)
    if (bytes.compare(wanted, 0, KEY, at, at + KEY) === 0) events.push(first + bytes.readUInt16LE(at + KEY))
  return events
}
