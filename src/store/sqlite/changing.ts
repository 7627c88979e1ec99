import type { Database } from 'better-sqlite3'
import type { Audit } from '../screens.ts'
import { forgetAcknowledged } from '../tables/acknowledging.ts'
import { touchDeliveries } from '../tables/acts.ts'
import { changing, copyLevels } from '../tables/changing.ts'
import { createOutdating } from './owing.ts'
import type { RunSteps } from './tables.ts'

export function createChanging(db: Database, run: RunSteps) {
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

  return {
    retry: (...given: Parameters<typeof changing.retry>) => run(changing.retry(...given)),
    letGo: (...given: Parameters<typeof changing.letGo>) => run(changing.letGo(...given)),

    skip(ids: number[], audit: Audit, act: number): number {
      run(forgetAcknowledged(ids.map((id) => ({ id, destination: null }))))
      const skipped = run(changing.skip(ids, audit, act))
      for (const id of ids) outdate(id, audit.at)
      return skipped
    },

    move(ids: number[], to: string, act: number): number {
      run(forgetAcknowledged(ids.map((id) => ({ id, destination: null }))))
      const from = ids.flatMap((id) => destinationOf.get(id)?.destination ?? [])
      run(copyLevels(from, to))
      const moved = ids.filter((id) => moveOne.run(to, id, to).changes > 0)
      return run(touchDeliveries(act, moved))
    },
  }
}
