import { type FindingChange, type FindingSort, locationOf } from '../../domain/catalogue/finding.ts'
import type { MirrorChange, MirrorRow, MirrorSet } from '../../domain/catalogue/mirror.ts'
import type { FormerPlace, StoreRecord } from '../../domain/stores/store-index.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { current, isOlder, type MirrorText, type StoredStore } from '../rows.ts'
import { insertOf, lockOf, query, rowsOf, type Steps, selected, setAll, statement } from './statement.ts'

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
