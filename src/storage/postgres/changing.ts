import type { RowOf } from '../schema.ts'
import { forgetAcknowledged } from '../tables/acknowledging.ts'
import { changing, copyLevels, touchDeliveries } from '../tables/audit.ts'
import { lockEntities, supersedeOutdated } from './enqueuing.ts'
import { readAnew } from './fencing.ts'
import { type Database, perform, prepared, type Session } from './server/database.ts'

const find = prepared<Pick<RowOf<'deliveries'>, 'id' | 'destination' | 'entity'>>(
  'select id, destination, entity from deliveries where id = any($1::bigint[])',
)
const moveThose = prepared<{ id: number }>(`
  update deliveries d set destination = $2
    where d.id = any($1::bigint[]) and d.state in ('waiting', 'claimed', 'held', 'dead') and not exists (
      select 1 from deliveries o
        where o.event_id = d.event_id and o.flow = d.flow and o.part = d.part and o.destination = $2)
      and (
        select 1 from past_deliveries p join delivery_shapes s on s.id = p.shape
          where p.event_id = d.event_id and s.flow = d.flow and s.part = d.part and s.destination = $2 limit 1) is null
    returning d.id`)

/** Changes deliveries for operators. Every hub reads its queues anew: what it keeps of them may be untrue. */
export function createChanging(db: Database) {
  const inOne = <Args extends unknown[]>(change: (session: Session, ...args: Args) => Promise<number>) => {
    return (...args: Args): Promise<number> =>
      db.transaction(async (session) => {
        const changed = await change(session, ...args)
        await readAnew(session)
        return changed
      })
  }
  return {
    retry: inOne((session, ...given: Parameters<typeof changing.retry>) => perform(session, changing.retry(...given))),
    letGo: inOne((session, ...given: Parameters<typeof changing.letGo>) => perform(session, changing.letGo(...given))),

    skip: inOne(async (session, ...given: Parameters<typeof changing.skip>) => {
      const [ids] = given
      const rows = await session.query(find, [ids])
      await lockEntities(session, rows)
      await perform(session, forgetAcknowledged(rows))
      const skipped = await perform(session, changing.skip(...given))
      await supersedeOutdated(session, ids)
      return skipped
    }),

    move: inOne(async (session, ids: readonly number[], to: string, act: number) => {
      const rows = await session.query(find, [ids])
      await perform(session, forgetAcknowledged(rows))
      const from = rows.map(({ destination }) => destination)
      await perform(session, copyLevels(from, to))
      const moved = await session.query(moveThose, [ids, to])
      const those = moved.map(({ id }) => id)
      return await perform(session, touchDeliveries(act, those))
    }),
  }
}
