import type { Audit } from '../screens.ts'
import { touchEvents } from './acts.ts'
import { query, type Steps, statement } from './statement.ts'

/* Each slice is one commit with its audit entry. */

const hold = statement<{ id: number }>(`
  insert into legal_holds (event_id, at, by, reason) select id, $2, $3, $4 from events where id = any($1::bigint[])
    on conflict do nothing returning event_id as id`)
const unhold = statement<{ id: number }>(
  'delete from legal_holds where event_id = any($1::bigint[]) returning event_id as id',
)
const dismiss = statement<{ id: number }>(`
  update events set dismissed_at = $2::bigint, dismissed_by = $3, dismissed_because = $4
    where id = any($1::bigint[]) and dismissed_at is null and (state <> 'routed' or conflict_with is not null)
    returning id`)

export const eventVerbs = {
  *hold(ids: readonly number[], { at, by, reason }: Audit, act: number): Steps<number> {
    return yield* touchEvents(act, yield* query(hold, [ids, at, by, reason ?? '']))
  },
  *unhold(ids: readonly number[], act: number): Steps<number> {
    return yield* touchEvents(act, yield* query(unhold, [ids]))
  },
  *dismiss(ids: readonly number[], { at, by, reason }: Audit, act: number): Steps<number> {
    return yield* touchEvents(act, yield* query(dismiss, [ids, at, by, reason]))
  },
}
