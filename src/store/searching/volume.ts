import { SEGMENT } from '../search-key.ts'
import { ENTRY, eachEntry, PREFIXES } from './search-block.ts'

/*
 * A volume has the keys of sixteen segments, as many events as an entry can number, in pieces by their first twelve bits. A piece
 * is as large as one of a segment, so that a question about all events reads a sixteenth as many.
 */

/** Segments of a volume. */
export const TOGETHER = 16

/** Pieces of a volume. */
const PIECES = 4_096

/** The places of volumes begin behind those of all segments. */
export const VOLUMES = 2 ** 44

/** Where more events of a volume than this are still here, its keys stay as they are; else those of the others go. */
export const FEW_LEFT = 4_096

/** A piece as a row has it. */
export interface Piece {
  place: number
  body: Uint8Array
}

export function volumeOf(segment: number): number {
  return Math.floor(segment / TOGETHER)
}

/** The volume that a place is of. */
export function volumeAt(place: number): number {
  return Math.floor((place - VOLUMES) / PIECES)
}

/** Where the pieces of a volume begin. */
export function placesFrom(volume: number): number {
  return VOLUMES + volume * PIECES
}

/** Where a key (hex) of a volume lies. */
export function placeIn(volume: number, key: string): number {
  return placesFrom(volume) + Number.parseInt(key.slice(0, 3), 16)
}

/** The first event that a volume can have. */
export function firstEventIn(volume: number): number {
  return volume * TOGETHER * SEGMENT
}

/** The places of a first byte in the segments of a volume. */
export function placesToBind(volume: number, byte: number): number[] {
  return Array.from({ length: TOGETHER }, (_, nth) => (volume * TOGETHER + nth) * PREFIXES + byte)
}

/** What the pieces of segments bring to those of their volume, by its places. */
export function bound(pieces: readonly Piece[]): Map<number, Buffer> {
  const entries = new Map<number, Buffer[]>()
  for (const { place, body } of pieces) {
    const [segment, byte] = [Math.floor(place / PREFIXES), place % PREFIXES]
    const before = (segment % TOGETHER) * SEGMENT
    eachEntry(body, (entry, nth) => {
      const moved = Buffer.from(entry)
      moved.writeUInt16LE(before + nth, ENTRY - 2)
      // The first byte, and four bits of the next one.
      const at = placesFrom(volumeOf(segment)) + byte * 16 + ((entry[0] ?? 0) >> 4)
      const those = entries.get(at)
      if (those) those.push(moved)
      else entries.set(at, [moved])
    })
  }
  return new Map([...entries].map(([place, those]) => [place, Buffer.concat(those)]))
}
