import type { Database } from 'better-sqlite3'
import type { Audit } from '../store.ts'
import { touchDeliveries } from '../tables/acts.ts'
import { releasedBy } from '../verbs.ts'
import type { Acknowledging } from './acknowledging.ts'
import { createOutdating } from './owing.ts'
import type { RunSteps } from './tables.ts'

/** Operator commands on ids chosen by a filter; each row is checked again. */
export function createChanging(db: Database, acknowledging: Acknowledging, run: RunSteps) {
  const retryOne = db.prepare(
    `update deliveries set state = 'waiting', due_at = ?, tries = 0, finds = 0, failing_since = null, settled_at = null,
       why = null, open = case when ? then 0 else open end, yields = ?
       where id = ? and state in ('waiting', 'held', 'dead', 'skipped')`,
  )
  const skipOne = db.prepare(
    `update deliveries set state = 'skipped', settled_at = ?, why = ?
       where id = ? and state in ('waiting', 'claimed', 'held', 'dead')`,
  )
  const letGoOne = db.prepare(
    `update deliveries set state = 'waiting', due_at = ?, tries = 0, finds = 0, failing_since = null, settled_at = null,
       why = null, released = ? where id = ? and state = 'held' and open = 0`,
  )
  const outdate = createOutdating(db)
  // Those that the other destination already has, archived ones too, stay.
  const moveOne = db.prepare(
    `update or ignore deliveries set destination = ?
       where id = ? and state in ('waiting', 'claimed', 'held', 'dead') and not exists (
         select 1 from past_deliveries p indexed by past_deliveries_of_event cross join delivery_shapes s on s.id = p.shape
           where p.event_id = deliveries.event_id and s.flow = deliveries.flow and s.part = deliveries.part
             and s.destination = ?)`,
  )
  const destinationOf = db.prepare<[number], { destination: string }>('select destination from deliveries where id = ?')
  // Levels acknowledged by the old destination hold for the new one.
  const copyTold = db.prepare(
    `insert into links (destination, kind, id, their_id, is_level)
       select ?, kind, id, their_id, is_level from links where destination = ? and is_level = 1
       on conflict do nothing`,
  )
  function apply(ids: number[], change: (id: number) => { changes: number }): number[] {
    return ids.filter((id) => change(id).changes > 0)
  }

  return {
    retry(ids: number[], again: boolean, yields: boolean, audit: Audit, act: number): number {
      const changed = apply(ids, (id) => retryOne.run(audit.at, again ? 1 : 0, yields ? 1 : 0, id))
      return run(touchDeliveries(act, changed))
    },

    skip(ids: number[], audit: Audit, act: number): number {
      for (const id of ids) acknowledging.forget(id)
      const changed = apply(ids, (id) => skipOne.run(audit.at, audit.reason, id))
      for (const id of ids) outdate(id, audit.at)
      return run(touchDeliveries(act, changed))
    },

    letGo(ids: number[], audit: Audit, act: number): number {
      const released = releasedBy(audit)
      const changed = apply(ids, (id) => letGoOne.run(audit.at, released, id))
      return run(touchDeliveries(act, changed))
    },

    move(ids: number[], to: string, act: number): number {
      for (const id of ids) acknowledging.forget(id)
      const from = new Set(ids.map((id) => destinationOf.get(id)?.destination))
      for (const one of from) if (one !== undefined) copyTold.run(to, one)
      const changed = apply(ids, (id) => moveOne.run(to, id, to))
      return run(touchDeliveries(act, changed))
    },
  }
}
