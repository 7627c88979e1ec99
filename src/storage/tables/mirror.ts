import { type FindingChange, type FindingSort, locationOf } from '../../domain/catalogue/finding.ts'
import type { MirrorChange, MirrorRow, MirrorSet } from '../../domain/catalogue/mirror.ts'
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
import type { FormerPlace, StoreRecord } from '../../domain/stores/store-index.ts'
import type { Instant } from '../../domain/values/instant.ts'
import {
  type Audit,
  current,
  explained,
  type GapText,
  isOlder,
  type MirrorText,
  type ReconciliationChange,
  type StoredStore,
  toGapText,
  toStoredGap,
} from '../rows.ts'
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

/** Two hubs replacing a part would keep each other's rows; and ids follow commits, so page readers miss none. */
const lock = lockOf('mirror')

const COLUMNS = ['place', 'article', 'day', 'part', 'version', 'tie', 'body'] as const
const NAMES = COLUMNS.join(', ')
const SELECTED = `id, set_name as "set", key, ${NAMES}, saved_at as "savedAt"`

// One by one: for all keys in one condition PostgreSQL may scan the set.
const find = statement<MirrorText>(
  `select m.* from unnest($2::text[]) as wanted (key)
     cross join lateral (select ${SELECTED} from mirror where set_name = $1 and key = wanted.key limit 1) as m`,
  `select ${SELECTED} from mirror where set_name = $1 and key in (select value from json_each($2))`,
)
const put = insertOf(
  'mirror',
  {
    ...{ setName: 'text', key: 'text', place: 'text', article: 'text', day: 'text', part: 'text' },
    ...{ version: 'bigint', tie: 'bigint', body: 'text', savedAt: 'bigint' },
  },
  `on conflict (set_name, key) ${setAll(...COLUMNS, 'savedAt')}`,
)
const removeOthers = statement(
  'delete from mirror where set_name = $1 and part = $2 and key <> all ($3::text[])',
  'delete from mirror where set_name = $1 and part = $2 and key not in (select value from json_each($3))',
)

export const mirrorReads = {
  *mirrorRows(set: MirrorSet, keys: readonly string[]): Steps<MirrorText[]> {
    return keys.length === 0 ? [] : yield* query(find, [set, [...new Set(keys)]])
  },
}

export const mirrorWrites = {
  *saveMirror(changes: readonly MirrorChange[], now: Instant): Steps<void> {
    if (changes.length === 0) return
    yield* query(lock)
    let gathered: MirrorRow[] = []
    for (const change of changes) {
      if (change.type === 'put') {
        gathered.push(change.row)
        continue
      }
      yield* putAll(gathered, now)
      gathered = []
      yield* query(removeOthers, [change.set, change.part, change.rows.map(({ key }) => key)])
      yield* putAll(change.rows, now)
    }
    yield* putAll(gathered, now)
  },
}

/** Without unchanged and older rows, which would be logged all the same. */
function* putAll(all: readonly MirrorRow[], now: Instant): Steps<void> {
  const rows = current(all).map((row) => ({ ...row, body: JSON.stringify(row.body) }))
  for (const [set, those] of Map.groupBy(rows, (row) => row.set)) {
    const found = yield* query(find, [set, those.map(({ key }) => key)])
    const before = new Map(found.map((row) => [row.key, row]))
    const news = those.filter((row) => {
      const was = before.get(row.key)
      return !was || (!isOlder(row, was) && COLUMNS.some((name) => row[name] !== was[name]))
    })
    if (news.length > 0) yield* query(put, [rowsOf(news.map((row) => ({ ...row, setName: set, savedAt: now })))])
  }
}

const putFindings = insertOf(
  'findings',
  { sort: 'text', key: 'text', topic: 'text', day: 'text', version: 'bigint', body: 'text' },
  `on conflict (sort, key) ${setAll('topic', 'day', 'version', 'body')} where excluded.version >= findings.version`,
)
const dropFindings = statement('delete from findings where sort = $1 and key = any($2::text[])')
const findKeys = statement<{ key: string }>('select key from findings where sort = $1 and key = any($2::text[])')

export const findingReads = {
  *findingKeys(sort: FindingSort, keys: readonly string[]): Steps<Set<string>> {
    return new Set((yield* query(findKeys, [sort, keys])).map(({ key }) => key))
  },
}

export const findingWrites = {
  /** In order. */
  *saveFindings(changes: readonly FindingChange[]): Steps<void> {
    const dropped = new Map<FindingSort, string[]>()
    const puts = new Map<string, { sort: FindingSort; version: number }>()
    for (const change of changes) {
      if (change.type === 'drop') {
        dropped.set(change.sort, [...(dropped.get(change.sort) ?? []), change.key])
        puts.delete(`${change.sort}\0${change.key}`)
        continue
      }
      const { sort, says } = change.finding
      const row = { sort, ...locationOf(change.finding), body: JSON.stringify(says) }
      const name = `${sort}\0${row.key}`
      if (row.version >= (puts.get(name)?.version ?? row.version)) puts.set(name, row)
    }
    for (const [sort, keys] of dropped) yield* query(dropFindings, [sort, keys])
    if (puts.size > 0) yield* query(putFindings, [rowsOf([...puts.values()])])
  },
}

type StoreRow = StoredStore & { former: string | null }

const STORE_COLUMNS = ['number', 'name', 'stockId', 'countryCode', 'currency', 'zone', 'former'] as const
const allStores = statement<StoreRow>(
  `select ${selected('storeId', ...STORE_COLUMNS, 'goneAt')} from stores order by store_id collate "C"`,
)
/** Two concurrent lists would each mark the other's as gone. */
const lockStores = lockOf('stores')
const markAll = statement('update stores set gone_at = $1 where gone_at is null')
const STORE = Object.fromEntries(['storeId', ...STORE_COLUMNS].map((name) => [name, 'text'] as const))
const putStores = insertOf('stores', STORE, `on conflict (store_id) ${setAll(...STORE_COLUMNS)}, gone_at = null`)

export const storeReads = {
  *stores(): Steps<StoredStore[]> {
    return (yield* query(allStores)).map(({ former: _, ...store }) => store)
  },
  *formerPlaces(): Steps<FormerPlace[]> {
    return (yield* query(allStores)).flatMap(({ storeId, former }) =>
      placesIn(former).map((place) => ({ storeId, ...place })),
    )
  },
}

export const storeWrites = {
  *saveStores(records: readonly StoreRecord[], now: Instant): Steps<void> {
    yield* query(lockStores)
    const before = new Map((yield* query(allStores)).map((store) => [store.storeId, store]))
    yield* query(markAll, [now])
    const after = new Map(records.map((record) => [record.storeId, record]))
    const rows = [...after.values()].map((store) => ({
      ...store,
      former: formerOf(before.get(store.storeId), store, now),
    }))
    yield* query(putStores, [rowsOf(rows)])
  },
}

function formerOf(was: StoreRow | undefined, is: StoreRecord, now: Instant): string | null {
  if (!was || (was.number === is.number && was.stockId === is.stockId)) return was?.former ?? null
  return JSON.stringify([...placesIn(was.former), { number: was.number, stockId: was.stockId, until: now }])
}

function placesIn(former: string | null): Omit<FormerPlace, 'storeId'>[] {
  return former === null ? [] : JSON.parse(former)
}

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
const allMarks = statement<Watermark & { storeId: string }>(`
  select level, kind, store_id as "storeId", from_at as "from", until_at as until, since from watermarks
    order by level collate "C", kind collate "C", store_id collate "C"`)
const putMark = statement(`
  insert into watermarks (level, kind, store_id, from_at, until_at, since) values ($1, $2, $3, $4, $5, $6)
    on conflict (level, kind, store_id) ${setAll('fromAt', 'untilAt', 'since')}`)
const dropMark = statement('delete from watermarks where level = $1 and kind = $2 and store_id = $3')

export const reconciliationReads = {
  *covered(source: ReconciliationSource, scope: string): Steps<Range[]> {
    return yield* query(rangesOf, [source, scope])
  },
  *watermarks(): Steps<Watermark[]> {
    const marks = yield* query(allMarks)
    return marks.map((mark) => ({ ...mark, storeId: mark.storeId === EVERY_STORE ? null : mark.storeId }))
  },
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
    const rows = gaps.map((gap) => ({ id: gap.id, body: explained(gap, by, reason ?? '', at) }))
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
