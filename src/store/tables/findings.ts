import type { FindingSort } from '../../domain/catalogue/finding.ts'
import type { FindingWrite } from '../json-rows.ts'
import { query, rowsOf, type Steps, statement } from './statement.ts'

const put = statement(`
  insert into findings (sort, key, topic, day, version, body)
    select sort, key, topic, day, version, body
      from json_to_recordset($1::text::json) as f (n int, sort text, key text, topic text, day text, version bigint, body text)
      where true order by n
    on conflict (sort, key) do update set topic = excluded.topic, day = excluded.day, version = excluded.version,
      body = excluded.body where excluded.version >= findings.version`)
const drop = statement('delete from findings where sort = $1 and key = any($2::text[])')
const findKeys = statement<{ key: string }>('select key from findings where sort = $1 and key = any($2::text[])')

export const findingReads = {
  *findingKeys(sort: FindingSort, keys: readonly string[]): Steps<Set<string>> {
    return new Set((yield* query(findKeys, [sort, keys])).map(({ key }) => key))
  },
}

export const findingWrites = {
  *saveFindings(writes: readonly FindingWrite[]): Steps<void> {
    const dropped = new Map<FindingSort, string[]>()
    const puts = new Map<string, FindingWrite>()
    for (const write of writes) {
      const { sort, key, row } = write
      const name = `${sort}\0${key}`
      if (row === null) {
        dropped.set(sort, [...(dropped.get(sort) ?? []), key])
        puts.delete(name)
      } else if (row.version >= (puts.get(name)?.row?.version ?? row.version)) puts.set(name, write)
    }
    for (const [sort, keys] of dropped) yield* query(drop, [sort, keys])
    const rows = [...puts.values()].map(({ sort, key, row }, n) => ({ n, sort, key, ...row }))
    if (rows.length > 0) yield* query(put, [rowsOf(rows)])
  },
}
