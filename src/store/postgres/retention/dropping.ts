import { isStillToCome } from '../../../domain/values/instant.ts'
import type { Going } from '../../retention/gone.ts'
import type { Dropped, DroppedEvents, OldAttempts } from '../../retention/pruning.ts'
import { type Database, prepared, type Session } from '../server/database.ts'
import { rememberGone } from './gone-events.ts'
import { lockHolds } from './holding.ts'

const NOTHING = { events: 0, deliveries: 0, attempts: 0 }

/** Whoever writes what one of them owes has it locked until that can be read. */
const lockEvents = prepared('select id from events where id = any($1::bigint[]) order by id for update')

// Locked, so that nobody tries one of them again meanwhile.
const lockOwed = prepared<{ id: number; event: number; unsettled: boolean }>(`
  select id, event_id as event, state in ('waiting', 'claimed', 'held', 'dead') as unsettled from deliveries
    where event_id = any($1::bigint[]) order by id for update`)

const going = prepared<Going>(`
  select id, kind, identity, state, body_hash as "bodyHash", revision, received_at as "receivedAt", transport_key as "transportKey",
      conflict_with as "conflictWith", submission
    from events where id = any($1::bigint[]) and not ((state <> 'routed' or conflict_with is not null) and dismissed_at is null)
      and id not in (select event_id from legal_holds where event_id = any($1::bigint[]))
      and id < (select max(id) from events) order by id`)

const dropTries = prepared<{ n: number }>(`
  with gone as (delete from attempts where delivery_id = any($1::bigint[]) returning 1) select count(*) as n from gone`)
const dropOwed = prepared('delete from deliveries where id = any($1::bigint[])')
const dropPast = prepared<{ n: number }>(`
  with gone as (delete from past_deliveries where event_id = any($1::bigint[]) returning 1) select count(*) as n from gone`)
const dropPayloadsOf = prepared('delete from payloads where event_id = any($1::bigint[])')
const dropThose = prepared('delete from events where id = any($1::bigint[])')

const triesAfter = prepared<{ id: number; at: number; kind: string | null; stays: boolean }>(`
  select a.id, a.at, e.kind, coalesce(d.state in ('waiting', 'claimed', 'held', 'dead'), false)
      or (select 1 from legal_holds h where h.event_id = d.event_id limit 1) is not null as stays
    from (select id, at, delivery_id from attempts where id > $1 order by id limit $2) a
      left join lateral (select state, event_id from deliveries where id = a.delivery_id limit 1) d on true
      left join lateral (select kind from events where id = d.event_id limit 1) e on true
    order by a.id`)
const dropTheseTries = prepared('delete from attempts where id = any($1::bigint[])')

/** The dropping of events and what is of them; each call is one transaction. */
export function createDropping(db: Database) {
  return {
    dropEvents: (ids: readonly number[]): Promise<DroppedEvents> =>
      db.transaction(async (session) => ({ ...(await dropEventsIn(session, ids)), seen: ids.length })),

    async dropAttempts({ after, limit, before, now, kinds }: OldAttempts): Promise<Dropped<number>> {
      const rows = await db.query(triesAfter, [after, limit])
      const oldest = Math.max(before, ...Object.values(kinds))
      const young = rows.findIndex(({ at }) => at >= oldest && !isStillToCome(at, now))
      const seen = young < 0 ? rows : rows.slice(0, young)
      const old = seen.filter(({ at, kind, stays }) => !stays && at < ((kind === null ? null : kinds[kind]) ?? before))
      if (old.length > 0) await db.query(dropTheseTries, [old.map(({ id }) => id)])
      return { dropped: old.length, after: young < 0 && rows.length === limit ? (rows.at(-1)?.id ?? null) : null }
    },
  }
}

async function dropEventsIn(session: Session, ids: readonly number[]): Promise<Omit<DroppedEvents, 'seen'>> {
  // First: a hold that is being written is waited for, so that none which was answered is passed over.
  await session.query(lockHolds, [])
  await session.query(lockEvents, [ids])
  const owed = await session.query(lockOwed, [ids])
  const stays = new Set(owed.filter(({ unsettled }) => unsettled).map(({ event }) => event))
  const those = (await session.query(going, [ids])).filter(({ id }) => !stays.has(id))
  if (those.length === 0) return NOTHING
  const gone = new Set(those.map(({ id }) => id))
  const deliveries = owed.filter(({ event }) => gone.has(event)).map(({ id }) => id)
  const [tries] = await session.query(dropTries, [deliveries])
  await session.query(dropOwed, [deliveries])
  const [past] = await session.query(dropPast, [[...gone]])
  await session.query(dropPayloadsOf, [[...gone]])
  await session.query(dropThose, [[...gone]])
  await rememberGone(session, those)
  return { events: gone.size, deliveries: deliveries.length + (past?.n ?? 0), attempts: tries?.n ?? 0 }
}
