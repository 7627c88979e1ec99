import { type FindingChange, type FindingSort, locationOf } from '../../domain/catalogue/finding.ts'
import type { MirrorChange, MirrorRow, MirrorSet } from '../../domain/catalogue/mirror.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { current, isOlder, type MirrorText } from '../rows.ts'
import { insertOf, lockOf, query, rowsOf, type Steps, setAll, statement } from './statement.ts'

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
