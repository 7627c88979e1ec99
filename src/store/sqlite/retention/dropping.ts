import type { Database } from 'better-sqlite3'
import { isStillToCome } from '../../../domain/values/instant.ts'
import type { Going } from '../../retention/gone.ts'
import type { Dropped, DroppedEvents, OldAttempts } from '../../retention/pruning.ts'
import type { KeyTable } from '../keys.ts'
import type { GoneEvents } from './gone-events.ts'
import type { Slices } from './slice.ts'

/** The dropping of events and what is of them. It runs inside a transaction of the caller. */
export function createDropping(db: Database, keys: KeyTable, gone: GoneEvents, slices: Slices) {
  const going = db.prepare<[string], Going & { aside: number }>(
    `select id, kind, identity, state, body_hash as bodyHash, revision, received_at as receivedAt, transport_key as transportKey,
       conflict_with as conflictWith, submission,
       (state <> 'routed' or conflict_with is not null) and dismissed_at is null as aside
       from events where id in (select value from json_each(?)) order by id`,
  )
  const standing = db.prepare<[string, string], { id: number }>(
    `select event_id as id from deliveries indexed by deliveries_of_event where event_id in (select value from json_each(?))
       and state in ('waiting', 'claimed', 'held', 'dead')
     union all select event_id as id from legal_holds where event_id in (select value from json_each(?))`,
  )
  // Ids go on behind the highest that is here: of the newest event, and of the newest delivery, the row stays.
  const newest = db.prepare<[], { event: number | null; delivery: number | null }>(
    'select (select max(id) from events) as event, (select event_id from deliveries order by id desc limit 1) as delivery',
  )
  const dropTries = db.prepare(
    'delete from attempts where delivery_id in (select id from deliveries where event_id = ?)',
  )
  const dropDeliveries = db.prepare('delete from deliveries where event_id = ?')
  const dropPast = db.prepare('delete from past_deliveries where event_id = ?')
  const dropPayload = db.prepare('delete from payloads where event_id = ?')
  const dropEvent = db.prepare('delete from events where id = ?')
  const triesAfter = db.prepare<[number, number], { rowid: number; at: number; kind: string | null; stays: number }>(
    `select a.rowid, a.at, e.kind, coalesce(d.state in ('waiting', 'claimed', 'held', 'dead'), 0)
         or exists (select 1 from legal_holds h where h.event_id = d.event_id) as stays
       from attempts a left join deliveries d on d.id = a.delivery_id left join events e on e.id = d.event_id
       where a.rowid > ? order by a.rowid limit ?`,
  )
  const dropTry = db.prepare('delete from attempts where rowid = ?')

  /** Those of them that may go. */
  function mayGo(ids: readonly number[]): Going[] {
    const json = JSON.stringify(ids)
    const stays = new Set(standing.all(json, json).map(({ id }) => id))
    const last = newest.get()
    for (const id of [last?.event, last?.delivery]) stays.add(id ?? 0)
    return going.all(json).filter(({ id, aside }) => aside === 0 && !stays.has(id))
  }

  function dropTriesAfter({ before, now, kinds }: OldAttempts, after: number, limit: number): Dropped<number> {
    const rows = triesAfter.all(after, limit)
    const oldest = Math.max(before, ...Object.values(kinds))
    const young = rows.findIndex(({ at }) => at >= oldest && !isStillToCome(at, now))
    const seen = young < 0 ? rows : rows.slice(0, young)
    const old = seen.filter(
      ({ at, kind, stays }) => stays === 0 && at < ((kind === null ? null : kinds[kind]) ?? before),
    )
    for (const { rowid } of old) dropTry.run(rowid)
    return { dropped: old.length, after: young < 0 && rows.length === limit ? (rows.at(-1)?.rowid ?? null) : null }
  }

  return {
    dropEvents(ids: readonly number[]): DroppedEvents {
      const dropped = { events: 0, deliveries: 0, attempts: 0 }
      const seen = slices.each(ids, (few, hasTime) => {
        const those = mayGo(few)
        // Keys that wait in memory are told by the rows of their events: before these go, the keys go into their table.
        if (!keys.mergeUpTo(those.at(-1)?.id ?? 0, hasTime)) return false
        for (const event of those) {
          dropped.events += 1
          dropped.attempts += dropTries.run(event.id).changes
          dropped.deliveries += dropDeliveries.run(event.id).changes + dropPast.run(event.id).changes
          dropPayload.run(event.id)
          dropEvent.run(event.id)
          gone.remember(event)
        }
        return true
      })
      return { ...dropped, seen }
    },

    dropAttempts: (which: OldAttempts): Dropped<number> =>
      slices.walk(which.after, which.limit, (after, rows) => dropTriesAfter(which, after, rows)),
  }
}
