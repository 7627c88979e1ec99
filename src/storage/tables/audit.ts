import type { Instant } from '../../domain/values/instant.ts'
import { chained, REWRITTEN, rewrittenOf, wordsOf } from '../audit-chain.ts'
import type { Released } from '../claim.ts'
import type { Audit, BulkAct, BulkOutcome, ChainedAct, NewAuditRow } from '../rows.ts'
import type { RowOf } from '../schema.ts'
import { forgetAcknowledged } from './acknowledging.ts'
import { lockEntities, supersedeOutdated } from './enqueuing.ts'
import { first, isAny, lockOf, query, readAnew, type Statement, type Steps, selected, statement } from './statement.ts'

const add = statement<{ id: number }>(`
  insert into audit (at, by, action, reason, selection, changed, refused, role, address, words, hash)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id`)
const oneAtATime = lockOf('audit')
const chain = statement<{ anchor: string; head: string }>('select anchor, head from audit_chain')
const setHead = statement(`
  insert into audit_chain (id, anchor, head) values (1, '', $1) on conflict (id) do update set head = excluded.head`)
const newest = statement<{ at: number }>('select at from audit order by id desc limit 1')
const rowsAfter = statement<ChainedAct>('select * from audit where id > $1 order by id limit $2')
const rowsOfIds = statement<ChainedAct>('select * from audit where id = any($1::bigint[]) order by id')
const count = statement('update audit set changed = changed + $2 where id = $1')
const addDeliveries = statement(`
  insert into audit_deliveries (delivery_id, audit_id) select id, $1 from unnest($2::bigint[]) as t (id) where true
    on conflict do nothing`)
const addEvents = statement(`
  insert into audit_events (event_id, audit_id) select id, $1 from unnest($2::bigint[]) as t (id) where true
    on conflict do nothing`)

export const acts = {
  *noteAct(act: NewAuditRow, events: readonly number[] = [], deliveries: readonly number[] = []): Steps<number> {
    const { at, by, action, reason = null, changed = 0, refused = null, role = null, address = null } = act
    const selection = JSON.stringify(act.selection ?? {})
    yield* query(oneAtATime)
    const last = yield* first(chain)
    const words = wordsOf({ reason, selection, refused })
    const hash = chained(last?.head ?? '', { at, by, action, role, address, words })
    const added = yield* first(add, [at, by, action, reason, selection, changed, refused, role, address, words, hash])
    yield* query(setHead, [hash])
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

export const auditReads = {
  /** What the oldest entry hangs on, and the hash of the last one; null: there is none. */
  auditChain: () => first(chain),
  auditPage: (after: number, limit: number) => query(rowsAfter, [after, limit]),
}

/** Personal data was taken out of these entries: the chain says what they say now. */
export function* noteRewritten(ids: readonly number[]): Steps<void> {
  const rewritten = rewrittenOf(yield* query(rowsOfIds, [ids]))
  if (rewritten === null) return
  const last = yield* first(newest)
  const reason = 'personal data was erased'
  yield* acts.noteAct({ at: last?.at ?? 0, by: 'hub', action: REWRITTEN, reason, selection: rewritten })
}

export function* touchDeliveries(act: number, deliveries: readonly number[]): Steps<number> {
  yield* query(count, [act, deliveries.length])
  yield* query(addDeliveries, [act, deliveries])
  return deliveries.length
}

function* changeEvents(asked: Statement<{ id: number }>, values: readonly unknown[], act: number): Steps<number> {
  const ids = (yield* query(asked, values)).map(({ id }) => id)
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
  hold: (ids: readonly number[], { at, by, reason }: Audit, act: number) =>
    changeEvents(hold, [ids, at, by, reason ?? ''], act),
  unhold: (ids: readonly number[], act: number) => changeEvents(unhold, [ids], act),
  dismiss: (ids: readonly number[], { at, by, reason }: Audit, act: number) =>
    changeEvents(dismiss, [ids, at, by, reason], act),
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
const find = statement<Pick<RowOf<'deliveries'>, 'id' | 'destination' | 'entity'>>(
  'select id, destination, entity from deliveries where id = any($1::bigint[])',
)
// Levels acknowledged by the old destination hold for the new one.
const copyLevels = statement(`
  insert into links (destination, kind, id, their_id, is_level)
    select $1::text, kind, id, their_id, is_level from links where is_level and destination = any($2::text[])
    on conflict do nothing`)
const moveThose = statement<{ id: number }>(`
  update deliveries as d set destination = $2
    where id = any($1::bigint[]) and state in ('waiting', 'claimed', 'held', 'dead') and not exists (
        select 1 from deliveries o
          where o.event_id = d.event_id and o.flow = d.flow and o.part = d.part and o.destination = $2)
    returning id`)

function* change(asked: Statement<{ id: number }>, values: readonly unknown[], act: number): Steps<number> {
  const changed = yield* query(asked, values)
  yield* readAnew()
  const ids = changed.map(({ id }) => id)
  return yield* touchDeliveries(act, ids)
}

/** What hubs keep of them in memory may be untrue. */
export const changing = {
  retryThose: (ids: readonly number[], again: boolean, yields: boolean, { at }: Audit, act: number) =>
    change(retryThose, [ids, at, again, yields], act),

  *skipThose(ids: readonly number[], { at, reason }: Audit, act: number): Steps<number> {
    const rows = yield* query(find, [ids])
    yield* lockEntities(rows)
    yield* forgetAcknowledged(rows)
    const skipped = yield* change(skipThose, [ids, at, reason], act)
    yield* supersedeOutdated(ids, at)
    return skipped
  },

  *releaseThose(ids: readonly number[], { at, by, reason }: Audit, act: number): Steps<number> {
    const released: Released = { by, reason: reason ?? '' }
    return yield* change(letThoseGo, [ids, at, JSON.stringify(released)], act)
  },

  *moveThose(ids: readonly number[], to: string, act: number): Steps<number> {
    const rows = yield* query(find, [ids])
    yield* forgetAcknowledged(rows)
    yield* query(copyLevels, [to, [...new Set(rows.map(({ destination }) => destination))]])
    return yield* change(moveThose, [ids, to], act)
  },
}

/* Acts on all that a filter finds: their entries say what and why. */

const OF_BULK = ['act', 'matched', 'after', 'endedAt', 'outcome', 'problem']
const OF_ACT = ['at', 'by', 'role', 'address', 'action', 'selection', 'reason', 'changed']
const BULK = `select ${selected(...OF_BULK, ...OF_ACT)} from bulk_acts join audit on audit.id = act`

const newestBulk = statement<BulkAct>(`${BULK} order by act desc limit $1`)
const findBulk = statement<BulkAct>(`${BULK} where act = $1`)
const runningBulk = statement<BulkAct>(`${BULK} where ended_at is null order by act`)
const addBulk = statement('insert into bulk_acts (act, matched, after) values ($1, $2, 0)')
const goOnBulk = statement<{ act: number }>(
  'update bulk_acts set after = $2::bigint where act = $1 and ended_at is null returning act',
)
const endBulk = statement<{ act: number }>(`
  update bulk_acts set ended_at = $2::bigint, outcome = $3, problem = $4
    where act = $1 and ended_at is null returning act`)

export const bulkReads = {
  /** Newest first. */
  bulkActs: (limit: number) => query(newestBulk, [limit]),
  bulkAct: (act: number) => first(findBulk, [act]),
  /** In the order in which they were asked for. */
  runningBulkActs: () => query(runningBulk),
}

export const bulkWrites = {
  /** Its entry of the audit, and its row; returns their id. */
  *beginBulkAct(act: NewAuditRow, matched: number): Steps<number> {
    const id = yield* acts.noteAct(act)
    yield* query(addBulk, [id, matched])
    return id
  },

  /** `after`: the last id that was looked at. False: it has ended meanwhile. */
  bulkActCameTo: (act: number, after: number) => isAny(goOnBulk, [act, after]),
  /** False: it had ended already. */
  endBulkAct: (act: number, outcome: BulkOutcome, at: Instant, problem: string | null) =>
    isAny(endBulk, [act, at, outcome, problem]),
}
