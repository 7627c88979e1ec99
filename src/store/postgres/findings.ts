import type { FindingChange, FindingSort } from '../../domain/catalogue/finding.ts'
import { type FindingWrite, toWrites } from '../finding-text.ts'
import { type Database, prepared, rowsOf } from './server/database.ts'

const keep = prepared(`
  insert into findings (sort, key, topic, day, version, body)
    select sort, key, topic, day, version, body
      from json_to_recordset($1::text::json) as f (n int, sort text, key text, topic text, day text, version bigint, body text)
      order by n
    on conflict (sort, key) do update set topic = excluded.topic, day = excluded.day, version = excluded.version,
      body = excluded.body where excluded.version >= findings.version`)

const drop = prepared('delete from findings where sort = $1 and key = any($2::text[])')

const findKeys = prepared<{ key: string }>('select key from findings where sort = $1 and key = any($2::text[])')

/** The findings of jobs: their writes, and the reads just before them. */
export function createFindings(db: Database) {
  return {
    async saveFindings(changes: readonly FindingChange[]): Promise<void> {
      if (changes.length === 0) return
      await db.transaction(async (session) => {
        for (const those of runsOf(toWrites(changes))) {
          const kept = those.flatMap(({ sort, key, row }, n) => (row === null ? [] : [{ n, sort, key, ...row }]))
          if (kept.length > 0) await session.query(keep, [rowsOf(kept)])
          else await session.query(drop, [those[0]?.sort, those.map(({ key }) => key)])
        }
      })
    },

    async findingKeys(sort: FindingSort, keys: readonly string[]): Promise<Set<string>> {
      return new Set((await db.query(findKeys, [sort, keys])).map(({ key }) => key))
    },
  }
}

/** Changes that can be one statement: none has a key twice, or keeps some and drops others. */
function runsOf(writes: readonly FindingWrite[]): FindingWrite[][] {
  const runs: FindingWrite[][] = []
  let names = new Set<string>()
  for (const write of writes) {
    const run = runs.at(-1)
    const name = `${write.sort}\0${write.key}`
    const [first] = run ?? []
    const goesOn = first?.sort === write.sort && (first.row === null) === (write.row === null) && !names.has(name)
    if (run && goesOn) run.push(write)
    else {
      runs.push([write])
      names = new Set()
    }
    names.add(name)
  }
  return runs
}
