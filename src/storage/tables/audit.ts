import type { Released } from '../claim.ts'
import type { Audit, NewAuditRow } from '../rows.ts'
import { query, type Statement, type Steps, statement } from './statement.ts'

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
  *noteAct(act: NewAuditRow, events: readonly number[], deliveries: readonly number[] = []): Steps<number> {
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

/* Operator commands on ids chosen by a filter; each row is checked again. */

const BEGIN_ANEW = 'tries = 0, finds = 0, failing_since = null, settled_at = null, why = null'
const retryThose = statement<{ id: number }>(`
  update deliveries set state = 'waiting', due_at = $2::bigint, ${BEGIN_ANEW},
      open = case when $3::boolean then false else open end, yields = $4::boolean
    where id = any($1::bigint[]) and state in ('waiting', 'held', 'dead', 'skipped') returning id`)
const skipThose = statement<{ id: number }>(`
  update deliveries set state = 'skipped', settled_at = $2::bigint, why = $3
    where id = any($1::bigint[]) and state in ('waiting', 'claimed', 'held', 'dead') returning id`)
const letThoseGo = statement<{ id: number }>(`
  update deliveries set state = 'waiting', due_at = $2::bigint, ${BEGIN_ANEW}, released = $3
    where id = any($1::bigint[]) and state = 'held' and not open returning id`)
// Levels acknowledged by the old destination hold for the new one.
const copyTold = statement(
  `insert into links (destination, kind, id, their_id, is_level)
     select $1::text, kind, id, their_id, is_level from links where destination = any($2::text[]) and is_level
     on conflict do nothing`,
  `insert into links (destination, kind, id, their_id, is_level)
     select $1, kind, id, their_id, is_level from links
       where destination in (select value from json_each($2)) and is_level = 1
     on conflict do nothing`,
)

function* change(asked: Statement<{ id: number }>, values: readonly unknown[], act: number): Steps<number> {
  const changed = yield* query(asked, values)
  return yield* touchDeliveries(
    act,
    changed.map(({ id }) => id),
  )
}

export const changing = {
  *retry(ids: readonly number[], again: boolean, yields: boolean, { at }: Audit, act: number): Steps<number> {
    return yield* change(retryThose, [ids, at, again, yields], act)
  },
  *skip(ids: readonly number[], { at, reason }: Audit, act: number): Steps<number> {
    return yield* change(skipThose, [ids, at, reason], act)
  },
  *letGo(ids: readonly number[], { at, by, reason }: Audit, act: number): Steps<number> {
    const released: Released = { by, reason: reason ?? '' }
    return yield* change(letThoseGo, [ids, at, JSON.stringify(released)], act)
  },
}

export function* copyLevels(from: readonly string[], to: string): Steps<void> {
  yield* query(copyTold, [to, [...new Set(from)]])
}
