import type { Database } from 'better-sqlite3'
import type { Unindexed } from '../arrival.ts'
import { MOST_READ, SEGMENT, segmentOf, within } from '../search-key.ts'
import { type IndexedKey, PREFIXES, packKeys, placeOf } from '../searching/search-block.ts'
import { bound, type Piece, placesToBind } from '../searching/volume.ts'
import type { StoredPayloads } from './payloads/stored-payloads.ts'

/** Pieces of a segment that are made in one commit. */
const PIECES = 8

/** Behind every key. */
const PAST_ALL = Buffer.alloc(17, 0xff)

/** The keys that events can be found by, and how far they have come. It runs inside a transaction of the caller. */
export function createSearching(db: Database, payloads: StoredPayloads) {
  const getIndex = db.prepare<[], { secret: string; upTo: number }>(
    'select lower(hex(secret)) as secret, up_to as upTo from search_index',
  )
  const next = db.prepare<[number, number], Omit<Unindexed, 'body'> & { size: number }>(
    `select e.id, e.kind, e.transport_key as transportKey, e.size from events e
       where e.id > ? order by e.id limit ?`,
  )
  const add = db.prepare('insert or ignore into search_keys (segment, key, event_id) values (?, unhex(?), ?)')
  const firstPlace = db.prepare<[], { segment: number; prefix: string }>(
    `select segment, hex(substr(key, 1, 1)) as prefix from search_keys order by segment, key limit 1`,
  )
  const keysBetween = db.prepare<[number, Buffer, Buffer], IndexedKey>(
    `select lower(hex(key)) as key, event_id as event from search_keys where segment = ? and key >= ? and key < ?`,
  )
  const dropBetween = db.prepare('delete from search_keys where segment = ? and key >= ? and key < ?')
  const firstPiece = db.prepare<[], { place: number | null }>('select min(place) as place from search_blocks')
  const getPiece = db.prepare<[number], Piece>('select place, body from search_blocks where place = ?')
  const dropPiece = db.prepare('delete from search_blocks where place = ?')
  const setPiece = db.prepare('insert or replace into search_blocks (place, body) values (?, ?)')
  const setUpTo = db.prepare('update search_index set up_to = max(up_to, ?)')

  /** Segments that are whole: all their events are indexed. */
  const whole = () => segmentOf(getIndex.get()?.upTo ?? 0)

  /** Keys may come once more, from another hub, when those that came first are packed. */
  function addTo(place: number, body: Buffer): void {
    const before = getPiece.get(place)
    setPiece.run(place, before ? Buffer.concat([before.body, body]) : body)
  }

  function packRows(): number {
    const place = firstPlace.get()
    if (!place || place.segment >= whole()) return 0
    const { segment } = place
    const prefix = Number.parseInt(place.prefix, 16)
    const from = Buffer.from([prefix])
    const to = prefix + PIECES < PREFIXES ? Buffer.from([prefix + PIECES]) : PAST_ALL
    const rows = keysBetween.all(segment, from, to)
    for (const [at, keys] of Map.groupBy(rows, ({ key }) => placeOf(segment, key)))
      addTo(at, packKeys(keys, segment * SEGMENT))
    dropBetween.run(segment, from, to)
    return rows.length
  }

  /** Moves the pieces of one first byte from their segments to their volume. */
  function bindPieces(): number {
    const places = placesToBind(firstPiece.get()?.place ?? null, whole())
    const pieces = places.flatMap((place) => getPiece.get(place) ?? [])
    for (const [place, body] of bound(pieces)) addTo(place, body)
    for (const { place } of pieces) dropPiece.run(place)
    return pieces.length
  }

  return {
    searchSecret: (): string => getIndex.get()?.secret ?? '',

    unindexed({ events, bytes }: { events: number; bytes: number }): Unindexed[] {
      const rows = within(next.all(getIndex.get()?.upTo ?? 0, events), bytes)
      return rows.map(({ size, ...row }) => ({
        ...row,
        body: size > MOST_READ ? null : payloads.bodyOf(row.id),
      }))
    },

    packSearchKeys: (): number => packRows() || bindPieces(),

    /** Keys in hex, in their order: those of one page are written together. */
    indexKeys(upTo: number, keys: readonly { key: string; event: number }[]): void {
      for (const { key, event } of keys) add.run(segmentOf(event), key, event)
      setUpTo.run(upTo)
    },
  }
}
