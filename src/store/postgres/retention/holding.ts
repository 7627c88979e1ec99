import type { Audit } from '../../screens.ts'
import { touchEvents } from '../acts.ts'
import { type Database, prepared, textOf } from '../server/database.ts'

const hold = prepared<{ id: number }>(`
  insert into legal_holds (event_id, at, by, reason) select id, $2, $3, $4 from events where id = any($1::bigint[])
    on conflict do nothing returning event_id as id`)
const unhold = prepared<{ id: number }>(
  'delete from legal_holds where event_id = any($1::bigint[]) returning event_id as id',
)

/** For who drops: a hold that is being written is waited for, and the next one waits for this commit. */
export const lockHolds = prepared('lock table legal_holds in share mode')

/** Legal holds. */
export function createHolding(db: Database) {
  return {
    hold: (ids: readonly number[], { at, by, reason }: Audit, act: number): Promise<number> =>
      db.transaction(async (session) => {
        const held = await session.query(hold, [ids, at, ...[by, reason ?? ''].map(textOf)])
        return await touchEvents(
          session,
          act,
          held.map(({ id }) => id),
        )
      }),

    unhold: (ids: readonly number[], act: number): Promise<number> =>
      db.transaction(async (session) => {
        const free = await session.query(unhold, [ids])
        return await touchEvents(
          session,
          act,
          free.map(({ id }) => id),
        )
      }),
  }
}
