import { SEGMENT } from '../search-key.ts'
import { ENTRY, eachEntry, PREFIXES, type Sought } from './search-block.ts'

/*
 * A volume has the keys of sixteen segments, as many events as an entry can number, in pieces by their first twelve bits. A piece
 * is as large as one of a segment, so that a question about all events reads a sixteenth as many.
 */

/** Segments of a volume. */
const TOGETHER = 16

/** Pieces of a volume. */
const PIECES = 4_096

/** The places of volumes begin behind those of all segments. */
const VOLUMES = 2 ** 44

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

/** The segment that a place is of; infinite where there is none, or where it is of a volume. */
export function segmentAt(place: number | null): number {
  return place === null || place >= VOLUMES ? Infinity : Math.floor(place / PREFIXES)
}

/** Where these keys (hex) may lie in volumes. */
export function inVolumes(volumes: readonly number[], keys: readonly string[]): Sought[] {
  return volumes.flatMap((volume) =>
    keys.map((key) => ({
      key,
      place: placesFrom(volume) + Number.parseInt(key.slice(0, 3), 16),
      first: firstEventIn(volume),
    })),
  )
}

/** The first event that a volume can have. */
export function firstEventIn(volume: number): number {
  return volume * TOGETHER * SEGMENT
}

/** The last event that a volume can have. */
export function lastEventIn(volume: number): number {
  return firstEventIn(volume + 1) - 1
}

/**
 * The places of the pieces that go to their volume next: those of one first byte. `first`: the first place of all; `whole`: the
 * segments before this one are packed. None as long as a segment of the volume is not.
 */
export function placesToBind(first: number | null, whole: number): number[] {
  const volume = volumeOf(segmentAt(first))
  if (first === null || (volume + 1) * TOGETHER > whole) return []
  return Array.from({ length: TOGETHER }, (_, nth) => (volume * TOGETHER + nth) * PREFIXES + (first % PREFIXES))
}

/** From where the volumes lie that begin with a segment, or behind it. */
export function volumesFrom(segment: number): number {
  return placesFrom(Math.ceil(segment / TOGETHER))
}

/**
 * The segment with which keys go on: as the first row of keys has it, the first piece, or the first volume that begins with it.
 * Infinite: there are none. `volume`: the one that begins with that segment.
 */
export function nextOf(row: number | null, piece: number | null, inVolume: number | null) {
  const begins = inVolume === null ? Infinity : volumeAt(inVolume) * TOGETHER
  const segment = Math.min(row ?? Infinity, segmentAt(piece), begins)
  return { segment, volume: inVolume !== null && begins === segment ? volumeAt(inVolume) : null }
}

/** The entries that pieces of segments bring to those of their volume, by the places of these. */
export function bound(pieces: readonly Piece[]): Map<number, Buffer> {
  const entries = new Map<number, Buffer[]>()
  for (const { place, body } of pieces) {
    const [segment, byte] = [segmentAt(place), place % PREFIXES]
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
