import { hash } from 'node:crypto'
import type { KnownKeys } from '../../domain/queue/dedupe.ts'
import { isInFuture } from '../../domain/values/instant.ts'
import type { Arrival } from '../arrival.ts'
import type { DeletedEvents, DeletedPage, OldAttempts } from '../rows.ts'
import type { RowOf } from '../schema.ts'
import { inSqlite, insertOf, query, rowsOf, type Steps, statement } from './statement.ts'

/** Waits for holds being written, and lets later ones wait for this commit. */
const lockHolds = statement('lock table legal_holds in share mode', null)
const lockEvents = statement('select id from events where id = any($1::bigint[]) order by id for update', null)
// Against retries.
const lockPending = statement<{ id: number; event: number; unsettled: unknown }>(
  `select id, event_id as event, state in ('waiting', 'claimed', 'held', 'dead') as unsettled from deliveries
     where event_id = any($1::bigint[]) order by id for update`,
)

const GOING = `
  select id, kind, identity, state, body_hash as "bodyHash", revision, received_at as "receivedAt", transport_key as "transportKey",
      conflict_with as "conflictWith", submission
    from events where id = any($1::bigint[]) and not ((state <> 'routed' or conflict_with is not null) and dismissed_at is null)
      and id not in (select event_id from legal_holds where event_id = any($1::bigint[]))
      and id < (select max(id) from events)`
// SQLite's next id follows the highest row: the newest event and the newest delivery's event stay.
const going = statement<Going>(
  `${GOING} order by id`,
  `${inSqlite(GOING)} and id <> coalesce((select event_id from deliveries order by id desc limit 1), 0) order by id`,
)

const dropTries = statement<{ n: number }>(
  `delete from attempts where delivery_id = any($1::bigint[]) returning 1 as n`,
)
const dropPending = statement('delete from deliveries where id = any($1::bigint[])')
const dropThosePayloads = statement<{ n: number }>(
  'delete from payloads where event_id = any($1::bigint[]) returning 1 as n',
)
const dropSearchKeys = statement('delete from search_keys where event_id = any($1::bigint[])')
const heldOf = statement<{ id: number }>('select event_id as id from legal_holds where event_id = any($1::bigint[])')
const dropThose = statement('delete from events where id = any($1::bigint[])')
const triesAfter = statement<{ id: number; at: number; kind: string | null; stays: unknown }>(
  `select a.id, a.at, e.kind, coalesce(d.state in ('waiting', 'claimed', 'held', 'dead'), false)
       or (select 1 from legal_holds h where h.event_id = d.event_id limit 1) is not null as stays
     from (select id, at, delivery_id from attempts where id > $1 order by id limit $2) a
       left join lateral (select state, event_id from deliveries where id = a.delivery_id limit 1) d on true
       left join lateral (select kind from events where id = d.event_id limit 1) e on true
     order by a.id`,
  `select a.rowid as id, a.at, e.kind, coalesce(d.state in ('waiting', 'claimed', 'held', 'dead'), 0)
       or exists (select 1 from legal_holds h where h.event_id = d.event_id) as stays
     from attempts a left join deliveries d on d.id = a.delivery_id left join events e on e.id = d.event_id
     where a.rowid > $1 order by a.rowid limit $2`,
)
const dropTheseTries = statement(
  'delete from attempts where id = any($1::bigint[])',
  'delete from attempts where rowid in (select value from json_each($1))',
)
const findGone = statement<EventTombstone>(`
  select id, encode(digest, 'hex') as digest, encode(body_hash, 'hex') as "bodyHash", revision, received_at as "receivedAt",
      has_key as "hasKey", quarantined, conflict_with as "conflictWith", submission
    from gone_events where id = any($1::bigint[])`)
const addGone = insertOf(
  'gone_events',
  {
    ...{ id: 'bigint', digest: 'hex', bodyHash: 'hex', revision: 'bigint', receivedAt: 'bigint', hasKey: 'boolean' },
    ...{ quarantined: 'boolean', conflictWith: 'bigint', submission: 'bigint' },
  },
  'on conflict do nothing',
)

const getEvents = statement<DedupeRow>(`
  select id, kind, identity, state, conflict_with as "conflictWith", revision, body_hash as "bodyHash", facts, received_at as "receivedAt",
      subscription, transport_key is not null as "hasKey", submission, same_key_as as "sameKeyAs"
    from events where id = any($1::bigint[])`)

export function* readEvents(ids: readonly number[]): Steps<DedupeRow[]> {
  return (yield* query(getEvents, [ids])).map((row) => ({ ...row, hasKey: Boolean(row.hasKey) }))
}

export function* readTombstones(ids: readonly number[]): Steps<EventTombstone[]> {
  if (ids.length === 0) return []
  const rows = yield* query(findGone, [ids])
  return rows.map((row) => ({ ...row, hasKey: Boolean(row.hasKey), quarantined: Boolean(row.quarantined) }))
}

export function* dropEvents(ids: readonly number[]): Steps<DeletedEvents> {
  yield* query(lockHolds)
  yield* query(lockEvents, [ids])
  const pending = yield* query(lockPending, [ids])
  const stays = new Set(pending.filter(({ unsettled }) => unsettled).map(({ event }) => event))
  const those = (yield* query(going, [ids])).filter(({ id }) => !stays.has(id))
  const gone = new Set(those.map(({ id }) => id))
  const deliveries = pending.filter(({ event }) => gone.has(event)).map(({ id }) => id)
  if (gone.size === 0) return { events: 0, deliveries: 0, attempts: 0, seen: ids.length }
  const tries = yield* query(dropTries, [deliveries])
  yield* query(dropPending, [deliveries])
  yield* query(dropThosePayloads, [[...gone]])
  yield* query(dropSearchKeys, [[...gone]])
  yield* query(dropThose, [[...gone]])
  yield* remember(those)
  return { events: gone.size, deliveries: deliveries.length, attempts: tries.length, seen: ids.length }
}

/** Of settled events that are under no legal hold. */
export function* dropPayloads(ids: readonly number[]): Steps<{ dropped: number; seen: number }> {
  yield* query(lockHolds)
  const unsettled = (yield* query(lockPending, [ids])).filter(({ unsettled }) => unsettled).map(({ event }) => event)
  const stay = new Set([...unsettled, ...(yield* query(heldOf, [ids])).map(({ id }) => id)])
  const dropped = yield* query(dropThosePayloads, [ids.filter((id) => !stay.has(id))])
  return { dropped: dropped.length, seen: ids.length }
}

/** One refused for its size has no hash and no keys. */
function* remember(events: readonly Going[]): Steps<void> {
  const kept = events.filter(({ bodyHash }) => bodyHash !== '')
  const rows = kept.map((event) => ({
    ...event,
    digest: identityDigest(event),
    hasKey: event.transportKey !== null,
    quarantined: event.state === 'quarantined',
  }))
  if (rows.length > 0) yield* query(addGone, [rowsOf(rows)])
}

export function* dropAttempts({ after, limit, before, now, kinds }: OldAttempts): Steps<DeletedPage<number>> {
  const rows = yield* query(triesAfter, [after, limit])
  const oldest = Math.max(before, ...Object.values(kinds))
  const young = rows.findIndex(({ at }) => at >= oldest && !isInFuture(at, now))
  const seen = young < 0 ? rows : rows.slice(0, young)
  const old = seen.filter(({ at, kind, stays }) => !stays && at < ((kind === null ? null : kinds[kind]) ?? before))
  if (old.length > 0) yield* query(dropTheseTries, [old.map(({ id }) => id)])
  return { dropped: old.length, after: young < 0 && rows.length === limit ? (rows.at(-1)?.id ?? null) : null }
}

/*
 * What deduplication needs of deleted events, while their keys exist: kind and identity as a hash, 45 MB per million,
 * and no content.
 */

export type DedupeRow = Pick<
  RowOf<'events'>,
  'id' | 'kind' | 'identity' | 'state' | 'conflictWith' | 'revision' | 'bodyHash' | 'facts' | 'receivedAt'
> &
  Pick<RowOf<'events'>, 'subscription' | 'submission' | 'sameKeyAs'> & { hasKey: boolean }

type Going = Omit<DedupeRow, 'facts' | 'subscription' | 'sameKeyAs' | 'hasKey'> & { transportKey: string | null }

export type EventTombstone = Record<'digest' | 'bodyHash', string> & Omit<RowOf<'goneEvents'>, 'digest' | 'bodyHash'>

function identityDigest({ kind, identity }: Pick<Arrival, 'kind' | 'identity'>): string {
  return hash('sha256', `${kind}\0${identity ?? '\0'}`).slice(0, 16)
}

/** As an arrival sees it: with that one's kind and identity if the hash matches. */
export function seenAgain(
  gone: EventTombstone,
  arrival: Pick<Arrival, 'kind' | 'identity' | 'subscription'>,
): DedupeRow {
  const isAlike = gone.digest === identityDigest(arrival)
  const { id, revision, receivedAt, conflictWith, submission, bodyHash } = gone
  return {
    id,
    kind: isAlike ? arrival.kind : '',
    identity: isAlike ? arrival.identity : null,
    state: gone.quarantined ? 'quarantined' : 'routed',
    conflictWith,
    revision,
    bodyHash,
    facts: null,
    receivedAt,
    subscription: arrival.subscription,
    submission,
    hasKey: gone.hasKey,
    sameKeyAs: null,
  }
}

/**
 * What deduplication knows of an arrival: the events of its transport key, and of its identity, else its bytes. An
 * unreadable event makes no duplicate of a readable arrival: the whole body may follow a broken one.
 */
export function knownKeysOf(
  { problem }: Pick<Arrival, 'problem'>,
  named: DedupeRow | undefined,
  about: DedupeRow | undefined,
  hasIdentity: boolean,
): KnownKeys {
  const counts = (event: DedupeRow | undefined) => event && !(problem === null && event.state === 'quarantined')
  const known: KnownKeys = { byTransportKey: (counts(named) && named) || null, byIdentity: null, byBytes: null }
  if (about === undefined || !counts(about)) return known
  const { id, revision, bodyHash, receivedAt, subscription, hasKey } = about
  if (!hasIdentity) return { ...known, byBytes: { id, receivedAt } }
  const facts = about.facts === null ? null : JSON.parse(about.facts)
  return { ...known, byIdentity: { id, revision, bodyHash, facts, receivedAt, subscription, hasKey } }
}
