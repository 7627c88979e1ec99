import type { Instant } from '../../domain/values/instant.ts'
import type { BulkAct, BulkOutcome, NewAuditRow } from '../rows.ts'
import { acts } from './audit.ts'
import { query, type Steps, statement } from './statement.ts'

const SELECTED = `select act, matched, after, ended_at as "endedAt", outcome, problem,
    at, by, role, address, action, selection, reason, changed
  from bulk_acts join audit on audit.id = act`

const newest = statement<BulkAct>(`${SELECTED} order by act desc limit $1`)
const find = statement<BulkAct>(`${SELECTED} where act = $1`)
const running = statement<BulkAct>(`${SELECTED} where ended_at is null order by act`)
const add = statement('insert into bulk_acts (act, matched, after) values ($1, $2, 0)')
const goOn = statement<{ act: number }>(
  'update bulk_acts set after = $2::bigint where act = $1 and ended_at is null returning act',
)
const end = statement<{ act: number }>(`
  update bulk_acts set ended_at = $2::bigint, outcome = $3, problem = $4
    where act = $1 and ended_at is null returning act`)

export const bulkReads = {
  /** Newest first. */
  *bulkActs(limit: number): Steps<BulkAct[]> {
    return yield* query(newest, [limit])
  },

  *bulkAct(act: number): Steps<BulkAct | null> {
    return (yield* query(find, [act]))[0] ?? null
  },

  /** In the order in which they were asked for. */
  *runningBulkActs(): Steps<BulkAct[]> {
    return yield* query(running)
  },
}

export const bulkWrites = {
  /** Its entry of the audit, and its row; returns their id. */
  *beginBulkAct(act: NewAuditRow, matched: number): Steps<number> {
    const id = yield* acts.noteAct(act, [])
    yield* query(add, [id, matched])
    return id
  },

  /** `after`: the last id that was looked at. False: it has ended meanwhile. */
  *bulkActCameTo(act: number, after: number): Steps<boolean> {
    return (yield* query(goOn, [act, after])).length > 0
  },

  /** False: it had ended already. */
  *endBulkAct(act: number, outcome: BulkOutcome, at: Instant, problem: string | null): Steps<boolean> {
    return (yield* query(end, [act, at, outcome, problem])).length > 0
  },
}
