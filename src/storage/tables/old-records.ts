import { isInFuture, latestOf } from '../../domain/values/instant.ts'
import type { Acknowledged, Aged, DeletedPage, OldRecords, OldSubmissions } from '../rows.ts'
import { first, query, rowsOf, type Statement, type Steps, statement } from './statement.ts'

// One probe per row: for `exists` PostgreSQL may list all events in each slice.
const keysAfter = statement<{ key: string; eventId: number; here: unknown }>(
  `select replace(key::text, '-', '') as key, event_id as "eventId", (select 1 from events e where e.id = event_id limit 1) is not null as here
     from keys where key > lpad($1, 32, '0')::uuid order by keys.key limit $2`,
  `select lower(hex(key)) as key, event_id as eventId, exists (select 1 from events e where e.id = event_id) as here from keys
     where key > unhex($1) order by keys.key limit $2`,
)
const dropThoseKeys = statement(
  'delete from keys where key = any($1::uuid[]) and event_id <= $2',
  'delete from keys where key in (select unhex(value) from json_each($1)) and event_id <= $2',
)
const dropGone = statement<{ n: number }>(
  'delete from gone_events where id in (select id from gone_events where id <= $1 order by id limit $2) returning 1 as n',
)
const nextAfter = statement<{ id: number; receivedAt: number }>(`
  select * from (select * from (select id, received_at as "receivedAt" from gone_events where id > $1 order by id limit 1) as g
      union all select * from (select id, received_at as "receivedAt" from events where id > $1 order by id limit 1) as e) as n
    order by id limit 1`)
const SUBMISSIONS = `
  select id, received_at as "receivedAt",
      (select 1 from events e where e.submission is not null and e.submission = s.id limit 1) is not null`
// SQLite's next id follows the newest row: it stays.
const submissionsAfter = statement<{ id: number; receivedAt: number; used: unknown }>(
  `${SUBMISSIONS} as used from submissions s where id > $1 order by id limit $2`,
  `${SUBMISSIONS} or id = (select max(id) from submissions) as used from submissions s where id > $1 order by id limit $2`,
)
const dropThoseSubmissions = statement('delete from submissions where id = any($1::bigint[])')
// Rows from a clock that was ahead go when they are the oldest.
const LOOKUPS = `
  id in (select id from (select id, at from lookups order by id limit $2) as l where at < $1 or at > $3) returning 1 as n`
const dropLookups = statement<{ n: number }>(
  `delete from lookups where ${LOOKUPS}`,
  `delete from lookups where id < (select max(id) from lookups) and ${LOOKUPS}`,
)
const dropMirrored = statement<{ n: number }>(`
  delete from mirror where id in (
    select id from mirror where set_name = $1 and day > '' and day < $2 limit $3) returning 1 as n`)
// In the order of its chain.
const oldestAct = statement<{ id: number; at: number; hash: string }>(
  'select id, at, hash from audit order by id limit 1',
  'select id, at, hash from audit where id < (select max(id) from audit) order by id limit 1',
)
const setAnchor = statement('update audit_chain set anchor = $1')
const dropTouched = [
  statement<{ n: number }>(`
    delete from audit_deliveries where audit_id = $1
      and delivery_id in (select delivery_id from audit_deliveries where audit_id = $1 limit $2) returning 1 as n`),
  statement<{ n: number }>(`
    delete from audit_events where audit_id = $1
      and event_id in (select event_id from audit_events where audit_id = $1 limit $2) returning 1 as n`),
]
const dropAct = statement('delete from audit where id = $1')
const dropBulk = statement('delete from bulk_acts where act = $1')
const dropThoseAcknowledged = statement<{ n: number }>(`
  delete from acknowledged where (destination, flow, subject) in (
      select destination, flow, subject from json_to_recordset($1::text::json) as k (destination text, flow text, subject text))
    and digest is null and version <= $2::bigint returning 1 as n`)

function* count(asked: Statement<{ n: number }>, values: readonly unknown[]): Steps<number> {
  return (yield* query(asked, values)).length
}

export const oldRecords = {
  *dropKeys(after: string, upTo: number, limit: number): Steps<DeletedPage<string>> {
    const rows = yield* query(keysAfter, [after, limit])
    const old = rows.filter(({ eventId, here }) => eventId <= upTo && !here).map(({ key }) => key)
    if (old.length > 0) yield* query(dropThoseKeys, [old, upTo])
    return { dropped: old.length, after: rows.length < limit ? null : (rows.at(-1)?.key ?? null) }
  },

  nextReceived: (after: number) => first(nextAfter, [after]),
  dropKnown: (upTo: number, limit: number) => count(dropGone, [upTo, limit]),

  *dropSubmissions({ after, limit, before, now }: OldSubmissions): Steps<DeletedPage<number>> {
    const rows = yield* query(submissionsAfter, [after, limit])
    const young = rows.findIndex(({ receivedAt }) => receivedAt >= before && !isInFuture(receivedAt, now))
    const seen = young < 0 ? rows : rows.slice(0, young)
    const old = seen.filter(({ used, receivedAt }) => !used && receivedAt < before).map(({ id }) => id)
    if (old.length > 0) yield* query(dropThoseSubmissions, [old])
    return { dropped: old.length, after: young < 0 && rows.length === limit ? (rows.at(-1)?.id ?? null) : null }
  },

  dropRecords(which: OldRecords, limit: number): Steps<number> {
    if (which.type === 'audit') return dropActs(which, limit)
    if (which.type === 'lookups') return count(dropLookups, [which.before, limit, latestOf(which.now)])
    return count(dropMirrored, [which.set, which.before, limit])
  },

  *dropAcknowledged(rows: readonly Acknowledged[], upTo: number): Steps<{ dropped: number; seen: number }> {
    const dropped = rows.length === 0 ? 0 : yield* count(dropThoseAcknowledged, [rowsOf(rows), upTo])
    return { dropped, seen: rows.length }
  },
}

function* dropActs({ before, now }: Aged, limit: number): Steps<number> {
  let dropped = 0
  while (dropped < limit) {
    const act = yield* first(oldestAct)
    if (act === null || (act.at >= before && !isInFuture(act.at, now))) break
    for (const asked of dropTouched) dropped += yield* count(asked, [act.id, Math.max(0, limit - dropped)])
    if (dropped >= limit) break
    yield* query(dropAct, [act.id])
    yield* query(dropBulk, [act.id])
    yield* query(setAnchor, [act.hash])
    dropped += 1
  }
  return dropped
}
