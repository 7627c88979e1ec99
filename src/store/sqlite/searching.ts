import type { Database } from 'better-sqlite3'
import type { Unindexed } from '../arrival.ts'
import { MOST_READ, segmentOf, within } from '../search-key.ts'
import { type IndexedKey, keysToPack, packKeys } from '../searching/search-block.ts'
import type { StoredPayloads } from './payloads/stored-payloads.ts'

/** Blocks that are made in one commit. */
const BLOCKS = 8

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
  const firstPlain = db.prepare<[], { segment: number; prefix: string }>(
    `select segment, hex(substr(key, 1, 2)) as prefix from search_keys order by segment, key limit 1`,
  )
  const keysBetween = db.prepare<[number, Buffer, Buffer], IndexedKey>(
    `select lower(hex(key)) as key, event_id as event from search_keys where segment = ? and key >= ? and key < ?`,
  )
  const dropBetween = db.prepare('delete from search_keys where segment = ? and key >= ? and key < ?')
  // Keys of a packed event may come once more.
  const addToBlock = db.prepare(
    `insert into search_blocks (place, body) values (?, ?)
       on conflict (place) do update set body = cast(body || excluded.body as blob)`,
  )
  const setUpTo = db.prepare('update search_index set up_to = max(up_to, ?)')

  return {
    searchSecret: (): string => getIndex.get()?.secret ?? '',

    unindexed({ events, bytes }: { events: number; bytes: number }): Unindexed[] {
      const rows = within(next.all(getIndex.get()?.upTo ?? 0, events), bytes)
      return rows.map(({ size, ...row }) => ({
        ...row,
        body: size > MOST_READ ? null : payloads.bodyOf(row.id),
      }))
    },

    packSearchKeys(): number {
      const next = keysToPack(firstPlain.get(), getIndex.get()?.upTo ?? 0, BLOCKS)
      if (next === null) return 0
      const { segments, from, to } = next
      const keys = segments.flatMap((segment) => keysBetween.all(segment, from, to))
      for (const { place, body } of packKeys(keys)) addToBlock.run(place, body)
      for (const segment of segments) dropBetween.run(segment, from, to)
      return keys.length
    },

    /** Keys in hex, in their order: those of one page are written together. */
    indexKeys(upTo: number, keys: readonly { key: string; event: number }[]): void {
      for (const { key, event } of keys) add.run(segmentOf(event), key, event)
      setUpTo.run(upTo)
    },
  }
}
