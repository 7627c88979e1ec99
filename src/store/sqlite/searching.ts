import type { Database } from 'better-sqlite3'
import type { Unindexed } from '../arrival.ts'
import { MOST_READ, segmentOf, within } from '../search-key.ts'

/** The keys that events can be found by, and how far they have come. It runs inside a transaction of the caller. */
export function createSearching(db: Database) {
  const getIndex = db.prepare<[], { secret: string; upTo: number }>(
    'select lower(hex(secret)) as secret, up_to as upTo from search_index',
  )
  const next = db.prepare<[number, number], Omit<Unindexed, 'body'> & { size: number }>(
    `select e.id, e.kind, e.transport_key as transportKey, e.size from events e
       where e.id > ? order by e.id limit ?`,
  )
  const getBody = db.prepare<[number], { body: Buffer }>('select body from payloads where event_id = ?')
  const add = db.prepare('insert or ignore into search_keys (segment, key, event_id) values (?, unhex(?), ?)')
  const setUpTo = db.prepare('update search_index set up_to = max(up_to, ?)')

  return {
    searchSecret: (): string => getIndex.get()?.secret ?? '',

    unindexed({ events, bytes }: { events: number; bytes: number }): Unindexed[] {
      const rows = within(next.all(getIndex.get()?.upTo ?? 0, events), bytes)
      return rows.map(({ size, ...row }) => ({
        ...row,
        body: size > MOST_READ ? null : (getBody.get(row.id)?.body ?? null),
      }))
    },

    /** Keys in hex, in their order: those of one page are written together. */
    indexKeys(upTo: number, keys: readonly { key: string; event: number }[]): void {
      for (const { key, event } of keys) add.run(segmentOf(event), key, event)
      setUpTo.run(upTo)
    },
  }
}
