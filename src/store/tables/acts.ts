import type { Act, Audit } from '../screens.ts'
import { query, type Steps, statement } from './statement.ts'

const add = statement<{ id: number }>(`
  insert into audit (at, by, action, reason, selection, changed, refused) values ($1, $2, $3, $4, $5, $6, $7) returning id`)
const count = statement('update audit set changed = changed + $2 where id = $1')
const addDeliveries = statement(`
  insert into audit_deliveries (delivery_id, audit_id) select id, $1 from unnest($2::bigint[]) as t (id) where true
    on conflict do nothing`)
const addEvents = statement(`
  insert into audit_events (event_id, audit_id) select id, $1 from unnest($2::bigint[]) as t (id) where true
    on conflict do nothing`)

export const acts = {
  *noteAct(act: Act, events: readonly number[], deliveries: readonly number[] = []): Steps<number> {
    const { at, by, action, reason, selection, changed, refused } = act
    const [added] = yield* query(add, [at, by, action, reason, selection, changed, refused])
    const id = added?.id ?? 0
    if (events.length > 0) yield* query(addEvents, [id, events])
    if (deliveries.length > 0) yield* query(addDeliveries, [id, deliveries])
    return id
  },

  *extendAct(act: number, changed: number, events: readonly number[]): Steps<void> {
    yield* query(count, [act, changed])
    if (events.length > 0) yield* query(addEvents, [act, events])
  },
}

export function* touchDeliveries(act: number, deliveries: readonly number[]): Steps<number> {
  yield* query(count, [act, deliveries.length])
  yield* query(addDeliveries, [act, deliveries])
  return deliveries.length
}

function* touchEvents(act: number, events: readonly { id: number }[]): Steps<number> {
  const ids = events.map(({ id }) => id)
  yield* acts.extendAct(act, ids.length, ids)
  return ids.length
}

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
