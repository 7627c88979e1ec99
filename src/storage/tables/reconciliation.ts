import type { Watermark } from '../../domain/completeness/completeness.ts'
import { mergeRanges, type Range } from '../../domain/completeness/covered.ts'
import {
  type CoveredChange,
  changedGap,
  type Gap,
  type GapChange,
  keyOfChange,
  type ReconciliationSource,
} from '../../domain/completeness/gap.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { type Audit, type GapText, type ReconciliationChange, toGapText, toStoredGap } from '../rows.ts'
import { acts } from './audit.ts'
import {
  type ColumnTypes,
  insertOf,
  lockOf,
  query,
  rowsOf,
  type Steps,
  selected,
  setAll,
  statement,
} from './statement.ts'

const lockGaps = lockOf('reconciliation')
/** Those without a row of their own. */
const EVERY_STORE = ''

const GAP: ColumnTypes = {
  ...{ key: 'text', source: 'text', cause: 'text', kind: 'text', storeId: 'text', destination: 'text', day: 'text' },
  ...{ at: 'bigint', firstSeenAt: 'bigint', lastSeenAt: 'bigint', state: 'text', body: 'text' },
}
const GAP_COLUMNS = selected('id', ...Object.keys(GAP))

const findGaps = statement<GapText>(`select ${GAP_COLUMNS} from gaps where key = any($1::text[])`)
const findOpenGaps = statement<GapText>(
  `select ${GAP_COLUMNS} from gaps where id = any($1::bigint[]) and state = 'open'`,
)
const GAP_CHANGED = setAll('cause', 'storeId', 'day', 'at', 'lastSeenAt', 'state', 'body')
const putGaps = insertOf('gaps', GAP, `on conflict (key) ${GAP_CHANGED}`)
const explainGaps = statement(`
  update gaps set state = 'explained', body = e.body
    from json_to_recordset($1::text::json) as e (id bigint, body text) where gaps.id = e.id`)
const uncover = statement<Range>(`
  delete from covered where source = $1 and scope = $2 and from_at <= $4::bigint and to_at >= $3::bigint
    returning from_at as "from", to_at as "to"`)
const dropFrom = statement('delete from covered where source = $1 and scope = $2 and from_at >= $3::bigint')
const cutAt = statement('update covered set to_at = $3::bigint where source = $1 and scope = $2 and to_at > $3::bigint')
const cover = statement('insert into covered (source, scope, from_at, to_at) values ($1, $2, $3, $4)')
const rangesOf = statement<Range>(
  'select from_at as "from", to_at as "to" from covered where source = $1 and scope = $2 order by from_at',
)
const allMarks = statement<Watermark>(`
  select level, kind, nullif(store_id, '${EVERY_STORE}') as "storeId", from_at as "from", until_at as until, since from watermarks
    order by level collate "C", kind collate "C", store_id collate "C"`)
const putMark = statement(`
  insert into watermarks (level, kind, store_id, from_at, until_at, since) values ($1, $2, $3, $4, $5, $6)
    on conflict (level, kind, store_id) ${setAll('fromAt', 'untilAt', 'since')}`)
const dropMark = statement('delete from watermarks where level = $1 and kind = $2 and store_id = $3')

export const reconciliationReads = {
  covered: (source: ReconciliationSource, scope: string) => query(rangesOf, [source, scope]),
  watermarks: () => query(allMarks),
}

export const reconciliationWrites = {
  *saveReconciliation(change: ReconciliationChange, now: Instant): Steps<void> {
    const { gaps = [], uncovered = [], covered = [], watermarks = [] } = change
    yield* query(lockGaps)
    if (gaps.length > 0) yield* changeGaps(gaps, now)
    for (const { source, scope, from } of uncovered) {
      yield* query(dropFrom, [source, scope, from])
      yield* query(cutAt, [source, scope, from])
    }
    yield* coverMore(covered)
    for (const one of watermarks)
      if (one.type === 'drop') yield* query(dropMark, [one.level, one.kind, one.storeId ?? EVERY_STORE])
      else {
        const { level, kind, storeId, from, until, since } = one.watermark
        yield* query(putMark, [level, kind, storeId ?? EVERY_STORE, from, until, since])
      }
  },

  *explain(ids: readonly number[], { by, reason, at }: Audit, act: number): Steps<number> {
    yield* query(lockGaps)
    const gaps = yield* query(findOpenGaps, [ids])
    const ended = { at, by, reason: reason ?? '' }
    const rows = gaps.map((gap) => ({ id: gap.id, body: toGapText(gap.key, { ...toStoredGap(gap), ended }).body }))
    if (rows.length > 0) yield* query(explainGaps, [rowsOf(rows)])
    yield* acts.extendAct(act, rows.length, [])
    return rows.length
  },
}

function* changeGaps(changes: readonly GapChange[], now: Instant): Steps<void> {
  const rows = yield* query(findGaps, [[...new Set(changes.map(keyOfChange))]])
  const before = new Map<string, Gap>(rows.map((row) => [row.key, toStoredGap(row)]))
  const after = new Map<string, Gap>()
  for (const change of changes) {
    const key = keyOfChange(change)
    const was = after.get(key) ?? before.get(key) ?? null
    const is = changedGap(was, change, now)
    if (is !== null && is !== was) after.set(key, is)
  }
  const texts = [...after].map(([key, gap]) => toGapText(key, gap))
  if (texts.length > 0) yield* query(putGaps, [rowsOf(texts)])
}

function* coverMore(changes: readonly CoveredChange[]): Steps<void> {
  for (const those of Map.groupBy(changes, ({ source, scope }) => `${source} ${scope}`).values())
    for (const { from, to } of mergeRanges(those)) {
      const [{ source, scope }] = those as [CoveredChange]
      const touched = yield* query(uncover, [source, scope, from, to])
      const [range] = mergeRanges([...touched, { from, to }])
      if (range) yield* query(cover, [source, scope, range.from, range.to])
    }
}
