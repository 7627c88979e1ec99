import type { Database } from 'better-sqlite3'
import type { FindingSort } from '../../domain/catalogue/finding.ts'
import type { FindingWrite } from '../finding-text.ts'

/** The findings of jobs: their writes, and the reads just before them. They run inside a transaction of the caller. */
export function createFindings(db: Database) {
  const keep = db.prepare(
    `insert into findings (sort, key, topic, day, version, body) values (?,?,?,?,?,?)
       on conflict (sort, key) do update set topic = excluded.topic, day = excluded.day, version = excluded.version,
         body = excluded.body where excluded.version >= findings.version`,
  )
  const drop = db.prepare('delete from findings where sort = ? and key = ?')
  const keysOf = db
    .prepare<[FindingSort, string], string>(
      'select key from findings where sort = ? and key in (select value from json_each(?))',
    )
    .pluck()

  return {
    saveFindings(writes: readonly FindingWrite[]): void {
      for (const { sort, key, row } of writes) {
        if (row === null) drop.run(sort, key)
        else keep.run(sort, key, row.topic, row.day, row.version, row.body)
      }
    },

    findingKeys: (sort: FindingSort, keys: readonly string[]): string[] => keysOf.all(sort, JSON.stringify(keys)),
  }
}
