import type { Released } from '../claim.ts'
import type { Audit } from '../screens.ts'
import { touchDeliveries } from './acts.ts'
import { query, type Statement, type Steps, statement } from './statement.ts'

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
