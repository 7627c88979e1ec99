import { SEGMENT } from '../search-key.ts'

/*
 * Packed search keys. The keys of a volume of 65,536 events are in up to 4,096 blocks, by the first twelve bits of the key. A block is
 * a list of entries: the key's second to sixth byte, and the event's number within the volume. What is cut off of a key makes one in a
 * million questions find too much at ten million events.
 */

const KEY = 5

/** Bytes of an entry. */
const ENTRY = KEY + 2

/** Events of a volume: as many as an entry can number. */
const VOLUME = 65_536

/** Blocks of a volume. */
export const BLOCKS = 4_096

/** Segments of plain rows whose keys become one volume. */
export const SEGMENTS = VOLUME / SEGMENT

/** Where more events of a volume than this are still stored, its keys stay as they are; else those of deleted events are removed. */
export const FEW_LEFT = 4_096

/** Behind every key. */
const PAST_ALL = Buffer.alloc(17, 0xff)

/** A block as its row has it. */
export interface Block {
  place: number
  body: Uint8Array
}

/** A key that was indexed, in hex, and its event. */
export interface IndexedKey {
  key: string
  event: number
}

/** A key (hex), the block in which it may lie, and the first event of that block's volume. */
export interface Sought {
  key: string
  place: number
  first: number
}

export function volumeOf(event: number): number {
  return Math.floor(event / VOLUME)
}

/** The volume that a block is of. */
export function volumeAt(place: number): number {
  return Math.floor(place / BLOCKS)
}

/** The first event that a volume can have. */
export function firstEventIn(volume: number): number {
  return volume * VOLUME
}

/** The last event that a volume can have. */
export function lastEventIn(volume: number): number {
  return firstEventIn(volume + 1) - 1
}

/** Where these keys (hex) may lie in volumes. */
export function inVolumes(volumes: readonly number[], keys: readonly string[]): Sought[] {
  return volumes.flatMap((volume) =>
    keys.map((key) => ({ key, place: placeOf(volume, key), first: firstEventIn(volume) })),
  )
}

/**
 * The plain keys to pack next: those in `segments` from a key up to another, `blocks` blocks of their volume. `row`: the first plain
 * key. Null: an event of its volume is not indexed yet (`upTo`: the last that is).
 */
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

/** The keys as blocks, or as what is added to the blocks that are there. */
export function packKeys(keys: readonly IndexedKey[]): Block[] {
  const blocks = Map.groupBy(keys, ({ key, event }) => placeOf(volumeOf(event), key))
  return [...blocks].map(([place, those]) => ({ place, body: Buffer.concat(those.map(entryOf)) }))
}

/** A block in which these events have a key (hex) no more. */
export function withoutKeys(body: Uint8Array, key: string, events: readonly number[]): Buffer {
  const entries = new Set(events.map((event) => entryOf({ key, event }).toString('hex')))
  return keeping(body, (entry) => !entries.has(entry.toString('hex')))
}

/** A block with the keys of these events alone. `first`: of its volume. */
export function onlyOf(body: Uint8Array, events: ReadonlySet<number>, first: number): Buffer {
  return keeping(body, (entry) => events.has(first + entry.readUInt16LE(KEY)))
}

/** The events in a block that have a key (hex). `first`: of its volume. */
export function eventsIn(body: Uint8Array, key: string, first: number): number[] {
  const bytes = asBuffer(body)
  const wanted = entryOf({ key, event: first })
  const events: number[] = []
  // A question reads thousands of blocks: nothing is made for each entry.
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
