import { type Instant, isStillToCome, latestOf } from '../../../domain/values/instant.ts'
import type { Acknowledged, Dropped, OldRecords, OldSubmissions, StoreSize } from '../../retention/pruning.ts'
import { lastEventOf } from '../../search-key.ts'
import {
  BLOCKS,
  type Block,
  FEW_LEFT,
  firstEventIn,
  lastEventIn,
  onlyOf,
  SEGMENTS,
  volumeAt,
} from '../../searching/search-block.ts'
import { type Database, type Prepared, prepared, rowsOf } from '../server/database.ts'

const FIRST_KEY = '0'.repeat(32)

/** Blocks of a volume that are read at a time. */
const SOME_BLOCKS = 64

// A look for one row each: of `exists` the server may make a list of all events, for each slice anew.
const keysAfter = prepared<{ key: string; eventId: number; here: boolean }>(`
  select replace(key::text, '-', '') as key, event_id as "eventId", (select 1 from events e where e.id = event_id limit 1) is not null as here
    from keys where key > $1::uuid order by keys.key limit $2`)
// Looked at again: a newer event may have taken the key meanwhile.
const dropThoseKeys = prepared('delete from keys where key = any($1::uuid[]) and event_id <= $2')
const dropGone = prepared<{ n: number }>(`
  with gone as (delete from gone_events where id in (select id from gone_events where id <= $1 order by id limit $2) returning 1)
    select count(*) as n from gone`)
const nextAfter = prepared<{ id: number; receivedAt: number }>(`
  select * from ((select id, received_at as "receivedAt" from gone_events where id > $1 order by id limit 1)
      union all (select id, received_at as "receivedAt" from events where id > $1 order by id limit 1)) as n
    order by id limit 1`)
const segmentFrom = prepared<{ segment: number | null }>(
  'select min(segment) as segment from search_keys where segment >= $1',
)
const placeFrom = prepared<{ place: number | null }>('select min(place) as place from search_blocks where place >= $1')
const those = prepared<{ id: number }>('select id from events where id between $1 and $2 order by id limit $3')
const blocksFrom = prepared<Block>(
  'select place, body from search_blocks where place >= $1 and place < $2 order by place limit $3',
)
const setBlock = prepared('update search_blocks set body = $3 where place = $1 and body = $2')
const dropBlock = prepared('delete from search_blocks where place = $1 and body = $2')
const dropFound = prepared<{ n: number }>(`
  with gone as (delete from search_keys where ctid in (select s.ctid from search_keys s
      where s.segment = $1 and (select 1 from events e where e.id = s.event_id limit 1) is null limit $2) returning 1)
    select count(*) as n from gone`)
const submissionsAfter = prepared<{ id: number; receivedAt: number; used: boolean }>(`
  select id, received_at as "receivedAt",
      (select 1 from events e where e.submission is not null and e.submission = s.id limit 1) is not null as used
    from submissions s where id > $1 order by id limit $2`)
const dropThoseSubmissions = prepared('delete from submissions where id = any($1::bigint[])')
// What a clock that was ahead has dated goes once it is the oldest.
const dropLookups = prepared<{ n: number }>(`
  with gone as (delete from lookups where id in (
      select id from (select id, at from lookups order by id limit $2) as l where at < $1 or at > $3) returning 1)
    select count(*) as n from gone`)
const dropMirrored = prepared<{ n: number }>(`
  with gone as (delete from mirror where id in (
      select id from mirror where set_name = $1 and day > '' and day < $2 limit $3) returning 1)
    select count(*) as n from gone`)
const oldestAct = prepared<{ id: number }>('select id from audit where at < $1 order by at limit 1')
const dropTouched = [
  prepared<{ n: number }>(`
    with gone as (delete from audit_deliveries where ctid in (
        select ctid from audit_deliveries where audit_id = $1 limit $2) returning 1) select count(*) as n from gone`),
  prepared<{ n: number }>(`
    with gone as (delete from audit_events where ctid in (
        select ctid from audit_events where audit_id = $1 limit $2) returning 1) select count(*) as n from gone`),
]
const dropAct = prepared('delete from audit where id = $1')
// Looked at again: something may have been acknowledged meanwhile.
const dropThoseAcknowledged = prepared<{ n: number }>(`
  with gone as (
    delete from acknowledged a using json_array_elements($1::text::json) as k (key)
      where a.destination = k.key->>0 and a.flow = k.key->>1 and a.subject = k.key->>2 and a.digest is null and a.version <= $2::bigint
      returning 1
  ) select count(*) as n from gone`)
const sizeOfTables = prepared<{ bytes: number }>(`
  select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint as bytes from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'`)

/** The dropping of what nothing else is of. */
export function createOldRecords(db: Database) {
  async function count(statement: Prepared<{ n: number }>, values: readonly unknown[]): Promise<number> {
    const [row] = await db.query(statement, values)
    return row?.n ?? 0
  }

  async function dropActs(before: Instant, limit: number): Promise<number> {
    let dropped = 0
    while (dropped < limit) {
      const [act] = await db.query(oldestAct, [before])
      if (act === undefined) break
      for (const statement of dropTouched) dropped += await count(statement, [act.id, Math.max(0, limit - dropped)])
      if (dropped >= limit) break
      await db.query(dropAct, [act.id])
      dropped += 1
    }
    return dropped
  }

  /** Takes the keys of events that are not here out of a volume, until about so many blocks have changed. How many have. */
  async function clear(volume: number, limit: number): Promise<number> {
    const first = firstEventIn(volume)
    const left = new Set((await db.query(those, [first, lastEventIn(volume), FEW_LEFT + 1])).map(({ id }) => id))
    if (left.size > FEW_LEFT) return 0
    let changed = 0
    for (let at = volume * BLOCKS; changed < limit; ) {
      const blocks = await db.query(blocksFrom, [at, (volume + 1) * BLOCKS, SOME_BLOCKS])
      for (const { place, body } of blocks) {
        const still = onlyOf(body, left, first)
        if (still.byteLength === body.byteLength) continue
        // One that has changed meanwhile is looked at again the next night.
        if (still.byteLength === 0) await db.query(dropBlock, [place, body])
        else await db.query(setBlock, [place, body, still])
        changed += 1
      }
      at = (blocks.at(-1)?.place ?? at) + 1
      if (blocks.length < SOME_BLOCKS) break
    }
    return changed
  }

  return {
    async dropKeys(after: string, upTo: number, limit: number): Promise<Dropped<string>> {
      const rows = await db.query(keysAfter, [after === '' ? FIRST_KEY : after, limit])
      const old = rows.filter(({ eventId, here }) => eventId <= upTo && !here).map(({ key }) => key)
      if (old.length > 0) await db.query(dropThoseKeys, [old, upTo])
      return { dropped: old.length, after: rows.length < limit ? null : (rows.at(-1)?.key ?? null) }
    },

    nextReceived: async (after: number) => (await db.query(nextAfter, [after]))[0] ?? null,

    dropKnown: (upTo: number, limit: number) => count(dropGone, [upTo, limit]),

    async dropSearchKeys(after: number, upTo: number, limit: number): Promise<Dropped<number>> {
      const [row] = await db.query(segmentFrom, [after])
      const [block] = await db.query(placeFrom, [Math.ceil(after / SEGMENTS) * BLOCKS])
      const volume = volumeAt(block?.place ?? Infinity)
      const next = Math.min(row?.segment ?? Infinity, volume * SEGMENTS)
      if (lastEventOf(next) > upTo) return { dropped: 0, after: null }
      let dropped = await count(dropFound, [next, limit])
      if (volume * SEGMENTS === next && lastEventIn(volume) <= upTo) dropped += await clear(volume, limit - dropped)
      return { dropped, after: dropped >= limit ? next : next + 1 }
    },

    async dropSubmissions({ after, limit, before, now }: OldSubmissions): Promise<Dropped<number>> {
      const rows = await db.query(submissionsAfter, [after, limit])
      const young = rows.findIndex(({ receivedAt }) => receivedAt >= before && !isStillToCome(receivedAt, now))
      const seen = young < 0 ? rows : rows.slice(0, young)
      const old = seen.filter(({ used, receivedAt }) => !used && receivedAt < before).map(({ id }) => id)
      if (old.length > 0) await db.query(dropThoseSubmissions, [old])
      return { dropped: old.length, after: young < 0 && rows.length === limit ? (rows.at(-1)?.id ?? null) : null }
    },

    async dropRecords(which: OldRecords, limit: number): Promise<number> {
      if (which.type === 'audit') return await dropActs(which.before, limit)
      if (which.type === 'lookups') return await count(dropLookups, [which.before, limit, latestOf(which.now)])
      return await count(dropMirrored, [which.set, which.before, limit])
    },

    async dropAcknowledged(rows: readonly Acknowledged[], upTo: number) {
      const keys = rows.map(({ destination, flow, subject }) => [destination, flow, subject])
      const dropped = keys.length === 0 ? 0 : await count(dropThoseAcknowledged, [rowsOf(keys), upTo])
      return { dropped, seen: rows.length }
    },

    /** Autovacuum makes room for what comes; it is not given back to the disk. */
    shrink: async (): Promise<number> => 0,

    async size(): Promise<StoreSize> {
      const [row] = await db.query(sizeOfTables)
      return { bytes: row?.bytes ?? 0, reusable: 0 }
    },
  }
}
