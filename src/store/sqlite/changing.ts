import type { Database } from 'better-sqlite3'
import type { Lane } from '../../domain/queue/lane.ts'
import type { Pause } from '../kept.ts'
import type { Audit } from '../store.ts'
import { releasedBy } from '../verbs.ts'
import type { Acknowledging } from './acknowledging.ts'
import type { Acts } from './acts.ts'
import { createOutdating } from './owing.ts'

/** The changes that people make. The ids were chosen by a filter before; each row is checked again here. */
export function createChanging(db: Database, acknowledging: Acknowledging, acts: Acts) {
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
  const dismissOne = db.prepare(
    `update events set dismissed_at = ?, dismissed_by = ?, dismissed_because = ?
       where id = ? and dismissed_at is null and (state <> 'routed' or conflict_with is not null)`,
  )
  const outdate = createOutdating(db)
  // Deliveries that the other destination has already, in the past perhaps, stay where they are.
  const moveOne = db.prepare(
    `update or ignore deliveries set destination = ?
       where id = ? and state in ('waiting', 'claimed', 'held', 'dead') and not exists (
         select 1 from past_deliveries p indexed by past_deliveries_of_event cross join delivery_shapes s on s.id = p.shape
           where p.event_id = deliveries.event_id and s.flow = deliveries.flow and s.part = deliveries.part
             and s.destination = ?)`,
  )
  const destinationOf = db.prepare<[number], { destination: string }>('select destination from deliveries where id = ?')
  // The levels that a destination was told of hold for the one that takes its place: it is not told them again.
  const copyTold = db.prepare(
    `insert into links (destination, kind, id, their_id, is_level)
       select ?, kind, id, their_id, is_level from links where destination = ? and is_level = 1
       on conflict do nothing`,
  )
  /** The ids of those that were changed. */
  function apply(ids: number[], change: (id: number) => { changes: number }): number[] {
    return ids.filter((id) => change(id).changes > 0)
  }

  const addCheck = db.prepare(
    `insert into audit (at, by, action, selection, changed) values (0, 'hub', 'check', '', 0)`,
  )
  const removeCheck = db.prepare('delete from audit where rowid = ?')

  return {
    retry(ids: number[], again: boolean, yields: boolean, audit: Audit, act: number): number {
      return acts.touch(
        act,
        apply(ids, (id) => retryOne.run(audit.at, again ? 1 : 0, yields ? 1 : 0, id)),
      )
    },

    skip(ids: number[], audit: Audit, act: number): number {
      for (const id of ids) acknowledging.forget(id)
      const changed = apply(ids, (id) => skipOne.run(audit.at, audit.reason, id))
      for (const id of ids) outdate(id, audit.at)
      return acts.touch(act, changed)
    },

    letGo(ids: number[], audit: Audit, act: number): number {
      const released = releasedBy(audit)
      return acts.touch(
        act,
        apply(ids, (id) => letGoOne.run(audit.at, released, id)),
      )
    },

    move(ids: number[], to: string, act: number): number {
      for (const id of ids) acknowledging.forget(id)
      const from = new Set(ids.map((id) => destinationOf.get(id)?.destination))
      for (const one of from) if (one !== undefined) copyTold.run(to, one)
      return acts.touch(
        act,
        apply(ids, (id) => moveOne.run(to, id, to)),
      )
    },

    dismiss(ids: number[], audit: Audit, act: number): number {
      const changed = apply(ids, (id) => dismissOne.run(audit.at, audit.by, audit.reason, id))
      acts.extendAct(act, changed.length, changed)
      return changed.length
    },

    pause(lane: Lane, pause: Pause): void {
      db.prepare('insert or replace into pauses (destination, urgency, until, why) values (?,?,?,?)').run(
        lane.destination,
        lane.urgency,
        pause.until,
        pause.why,
      )
    },
    resume(lane: Lane): void {
      db.prepare('delete from pauses where destination = ? and urgency = ?').run(lane.destination, lane.urgency)
    },
    pauses(): (Pause & Lane)[] {
      return db.prepare<[], Pause & Lane>('select destination, urgency, until, why from pauses').all()
    },

    /** Writes something and takes it away again: proves that there is room and leave to write. */
    check(): void {
      const { lastInsertRowid } = addCheck.run()
      removeCheck.run(lastInsertRowid)
    },
  }
}
