import type { Database } from 'better-sqlite3'
import type { Audit } from '../../screens.ts'
import type { Acts } from '../acts.ts'

/** Legal holds. It runs inside a transaction of the caller. */
export function createHolding(db: Database, acts: Acts) {
  const hold = db.prepare(
    `insert or ignore into legal_holds (event_id, at, by, reason) select id, ?, ?, ? from events where id = ?`,
  )
  const unhold = db.prepare('delete from legal_holds where event_id = ?')

  return {
    hold(ids: readonly number[], { at, by, reason }: Audit, act: number): number {
      const held = ids.filter((id) => hold.run(at, by, reason ?? '', id).changes > 0)
      acts.extendAct(act, held.length, held)
      return held.length
    },

    unhold(ids: readonly number[], act: number): number {
      const free = ids.filter((id) => unhold.run(id).changes > 0)
      acts.extendAct(act, free.length, free)
      return free.length
    },
  }
}
