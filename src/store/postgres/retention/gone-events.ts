import type { Arrival } from '../../arrival.ts'
import { type Going, type GoneEvent, seenAgain, toldOf } from '../../retention/gone.ts'
import { prepared, rowsOf, type Session } from '../server/database.ts'

const find = prepared<GoneEvent>(`
  select id, encode(told, 'hex') as told, encode(body_hash, 'hex') as "bodyHash", revision, received_at as "receivedAt",
      has_key as "hasKey", quarantined, conflict_with as "conflictWith", submission
    from gone_events where id = any($1::bigint[])`)

const add = prepared(`
  insert into gone_events (id, told, body_hash, revision, received_at, has_key, quarantined, conflict_with, submission)
    select id, decode(told, 'hex'), decode(hash, 'hex'), revision, received, keyed, quarantined, conflict, submission
      from json_to_recordset($1::text::json) as g (id bigint, told text, hash text, revision bigint, received bigint, keyed boolean,
        quarantined boolean, conflict bigint, submission bigint)
    on conflict do nothing`)

/** The events of these ids that were dropped. */
export async function findGone(session: Session, ids: readonly number[]): Promise<GoneEvent[]> {
  return ids.length === 0 ? [] : await session.query(find, [ids])
}

/** The event as an arrival is compared with it. */
export function seenGone(gone: GoneEvent, arrival: Pick<Arrival, 'kind' | 'identity' | 'subscription'>) {
  return { ...seenAgain(gone, arrival), hasKey: gone.hasKey, sameKeyAs: null }
}

/** Keeps what dropped events are known again by; one that was refused for its size has no keys. */
export async function rememberGone(session: Session, events: readonly Going[]): Promise<void> {
  const rows = events
    .filter(({ bodyHash }) => bodyHash !== '')
    .map((event) => ({
      id: event.id,
      told: toldOf(event),
      hash: event.bodyHash,
      revision: event.revision,
      received: event.receivedAt,
      keyed: event.transportKey !== null,
      quarantined: event.state === 'quarantined',
      conflict: event.conflictWith,
      submission: event.submission,
    }))
  if (rows.length > 0) await session.query(add, [rowsOf(rows)])
}
