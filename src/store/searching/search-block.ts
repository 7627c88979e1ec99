import { SEGMENT } from '../search-key.ts'

/*
 * Packed search keys: up to 4,096 blocks per volume of 65,536 events, by the key's first 12 bits. An entry is the
 * key's bytes 2 to 6 and the event's number in the volume; the cut finds too much once in a million questions at ten
 * million events.
 */

const KEY = 5
const ENTRY = KEY + 2
const VOLUME = 65_536
/** Per volume. */
export const BLOCKS = 4_096
/** Per volume. */
export const SEGMENTS = VOLUME / SEGMENT
/** With more stored events than this, a volume is left as it is. */
export const FEW_LEFT = 4_096
/** After every key. */
const PAST_ALL = Buffer.alloc(17, 0xff)

export interface Block {
  place: number
  body: Uint8Array
}

/** Hex. */
export interface IndexedKey {
  key: string
  event: number
}

/** `first`: event of the block's volume. */
export interface Sought {
  key: string
  place: number
  first: number
}

export function volumeOf(event: number): number {
  return Math.floor(event / VOLUME)
}

export function volumeAt(place: number): number {
  return Math.floor(place / BLOCKS)
}

export function firstEventIn(volume: number): number {
  return volume * VOLUME
}

export function lastEventIn(volume: number): number {
  return firstEventIn(volume + 1) - 1
}

export function inVolumes(volumes: readonly number[], keys: readonly string[]): Sought[] {
  return volumes.flatMap((volume) =>
    keys.map((key) => ({ key, place: placeOf(volume, key), first: firstEventIn(volume) })),
  )
}

/** From the first plain key `row`; null: its volume is not fully indexed (`upTo`). */
export function keysToPack(
  row: { segment: number; prefix: string } | undefined,
  upTo: number,
  blocks: number,
): { segments: number[]; from: Buffer; to: Buffer } | null {
  if (row === undefined) return null
  const volume = Math.floor(row.segment / SEGMENTS)
  if (volume >= volumeOf(upTo)) return null
  const first = Number.parseInt(row.prefix.slice(0, 3), 16)
  return {
    segments: Array.from({ length: SEGMENTS }, (_, nth) => volume * SEGMENTS + nth),
    from: keyAt(first),
    to: first + blocks < BLOCKS ? keyAt(first + blocks) : PAST_ALL,
  }
}

function keyAt(prefix: number): Buffer {
  return Buffer.from([prefix >> 4, (prefix & 15) << 4])
}

/** New blocks, or additions to existing ones. */
export function packKeys(keys: readonly IndexedKey[]): Block[] {
  const blocks = Map.groupBy(keys, ({ key, event }) => placeOf(volumeOf(event), key))
  return [...blocks].map(([place, those]) => ({ place, body: Buffer.concat(those.map(entryOf)) }))
}

export function withoutKeys(body: Uint8Array, key: string, events: readonly number[]): Buffer {
  const entries = new Set(events.map((event) => entryOf({ key, event }).toString('hex')))
  return keeping(body, (entry) => !entries.has(entry.toString('hex')))
}

/** `first`: of its volume. */
export function onlyOf(body: Uint8Array, events: ReadonlySet<number>, first: number): Buffer {
  return keeping(body, (entry) => events.has(first + entry.readUInt16LE(KEY)))
}

/** `first`: of its volume. */
export function eventsIn(body: Uint8Array, key: string, first: number): number[] {
  const bytes = asBuffer(body)
  const wanted = entryOf({ key, event: first })
  const events: number[] = []
  // Thousands of blocks per question: no allocation per entry.
  for (let at = 0; at < bytes.byteLength; at += ENTRY)
    if (bytes.compare(wanted, 0, KEY, at, at + KEY) === 0) events.push(first + bytes.readUInt16LE(at + KEY))
  return events
}

function placeOf(volume: number, key: string): number {
  return volume * BLOCKS + Number.parseInt(key.slice(0, 3), 16)
}

function entryOf({ key, event }: IndexedKey): Buffer {
  const entry = Buffer.alloc(ENTRY)
  entry.write(key.slice(2, 2 + 2 * KEY), 'hex')
  entry.writeUInt16LE(event % VOLUME, KEY)
  return entry
}

function keeping(body: Uint8Array, keeps: (entry: Buffer) => boolean): Buffer {
  return Buffer.concat(entriesOf(body).filter(keeps))
}

function entriesOf(body: Uint8Array): Buffer[] {
  const bytes = asBuffer(body)
  return Array.from({ length: bytes.byteLength / ENTRY }, (_, nth) => bytes.subarray(nth * ENTRY, (nth + 1) * ENTRY))
}

function asBuffer(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}
