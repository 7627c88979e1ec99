import type { SearchKey } from '../../domain/queue/search-keys.ts'
import type { EventKey, Found, Unindexed } from '../arrival.ts'
import type { EventRow } from '../screens.ts'
import { foundOf, hashedKey, hashedKeysOf, MOST_READ, segmentOf, within } from '../search-key.ts'
import { type IndexedKey, keysToPack, packKeys } from '../searching/search-block.ts'
import { payloadsOf } from './payloads/stored-payloads.ts'
import type { PostgresReading } from './reading.ts'
import { type Database, prepared, rowsOf } from './server/database.ts'

const getIndex = prepared<{ secret: string; upTo: number }>(
  `select encode(secret, 'hex') as secret, up_to as "upTo" from search_index`,
)

/**
 * The newest event, and which transactions that have drawn ids of events are open now: one of them may still commit an event of a lower
 * id. Each holds a lock on their sequence until its end. (Others may stand open for hours: a backup, a vacuum, somebody who reads.)
 */
const look = prepared<{ last: number; open: string[] }>(`
  select (select coalesce(max(id), 0) from events) as last, array(
    select l.virtualtransaction from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'relation' and l.relation = 'event_ids'::regclass and l.mode = 'RowExclusiveLock' and l.granted
        and a.datname = current_database() and l.pid <> pg_backend_pid()) as open`)

const next = prepared<Omit<Unindexed, 'body'> & { size: number }>(`
  select id, kind, transport_key as "transportKey", size from events where id > $1 and id <= $2 order by id limit $3`)

const add = prepared(`
  insert into search_keys (segment, key, event_id)
    select segment, decode(key, 'hex'), event from json_to_recordset($1::text::json) as k (segment integer, key text, event bigint)
    on conflict do nothing`)

const firstPlain = prepared<{ segment: number; prefix: string }>(
  `select segment, encode(substr(key, 1, 2), 'hex') as prefix from search_keys order by segment, key limit 1`,
)
const takeBetween = prepared<IndexedKey>(`
  delete from search_keys where segment = any($1::integer[]) and key >= $2 and key < $3
    returning encode(key, 'hex') as key, event_id as event`)
/** Keys may come once more, from another hub, when those that came first are packed. */
const addToBlock = prepared(`
  insert into search_blocks as b (place, body) values ($1, $2) on conflict (place) do update set body = b.body || excluded.body`)

/** Blocks that are made in one commit. */
const BLOCKS = 64

const setUpTo = prepared('update search_index set up_to = greatest(up_to, $1::bigint)')

/**
 * The keys that events can be found by. Ids are drawn before commits, and commits come in another order: an event counts as
 * the next only when every transaction that had drawn some as it was the newest has ended.
 */
export function createSearching(db: Database, reading: Pick<PostgresReading, 'foundBy'>) {
  let secret: string | null = null
  let settled = 0
  let waiting: { last: number; open: ReadonlySet<string> } | null = null

  async function secretOf(): Promise<string> {
    secret ??= (await db.query(getIndex))[0]?.secret ?? ''
    return secret
  }

  async function lookAgain(): Promise<void> {
    const [seen] = await db.query(look)
    if (!seen) return
    if (waiting && !seen.open.some((one) => waiting?.open.has(one))) {
      settled = waiting.last
      waiting = null
    }
    if (seen.open.length === 0) settled = seen.last
    else waiting ??= { last: seen.last, open: new Set(seen.open) }
  }

  return {
    async unindexed({ events, bytes }: { events: number; bytes: number }): Promise<Unindexed[]> {
      const [index] = await db.query(getIndex)
      const upTo = index?.upTo ?? 0
      if (upTo >= settled) await lookAgain()
      if (upTo >= settled) return []
      const rows = within(await db.query(next, [upTo, settled, events]), bytes)
      const readable = rows.filter(({ size }) => size <= MOST_READ).map(({ id }) => id)
      const payloads = await payloadsOf(db, readable)
      return rows.map(({ size: _, ...row }) => ({ ...row, body: payloads.get(row.id)?.body ?? null }))
    },

    async indexKeys(upTo: number, keys: readonly EventKey[]): Promise<void> {
      const under = await secretOf()
      const hashed = await hashedKeysOf(under, keys)
      const rows = hashed.map(({ key, event }) => ({ segment: segmentOf(event), key, event }))
      await db.transaction(async (session) => {
        await session.query(add, [rowsOf(rows)])
        await session.query(setUpTo, [upTo])
      })
    },

    async hashedKeys(keys: readonly SearchKey[]): Promise<string[]> {
      const under = await secretOf()
      return keys.map((key) => hashedKey(under, key))
    },

    async findHashed(keys: readonly string[], limit: number): Promise<EventRow[]> {
      return (await reading.foundBy([...keys], limit)).map(({ event }) => event)
    },
    packSearchKeys: () =>
      db.transaction(async (session) => {
        const [index] = await session.query(getIndex)
        const [first] = await session.query(firstPlain)
        const next = keysToPack(first, index?.upTo ?? 0, BLOCKS)
        if (next === null) return 0
        const keys = await session.query(takeBetween, [next.segments, next.from, next.to])
        for (const { place, body } of packKeys(keys)) await session.query(addToBlock, [place, body])
        return keys.length
      }),

    async find(keys: readonly SearchKey[], limit: number): Promise<Found[]> {
      const under = await secretOf()
      const hashed = keys.map((key) => hashedKey(under, key))
      return foundOf(under, keys, await reading.foundBy(hashed, limit))
    },
  }
}
