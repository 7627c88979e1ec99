import {
  PERSONAL_TABLE_NAMES,
  type PersonalChange,
  type PersonalTableName,
  personalTable,
  quoted,
  withUniqueKey,
} from '../personal-places.ts'
import { addCustomers } from './customers.ts'
import { inSqlite, query, readAnew, type Steps, statement } from './statement.ts'

// In PostgreSQL a refused statement ends the transaction.
const beforeRow = statement('savepoint before_row', null)
const backToRow = statement('rollback to savepoint before_row', null)
const UNIQUE_VIOLATIONS = ['23505', 'SQLITE_CONSTRAINT_UNIQUE']

/** Of a row that is still as it was read: `$1`, then its columns, then those that it gets. */
function rewritingOf(place: PersonalTableName) {
  const { columns, isKeyed } = personalTable(place)
  const isSame = columns.map((name, nth) => `${quoted(name)} is not distinct from $${nth + 2}::text`).join(' and ')
  const set = columns.map((name, nth) => `${quoted(name)} = $${columns.length + nth + 2}::text`).join(', ')
  const where = `where ctid = $1::text::tid and ${isSame} returning 1 as n`
  const whereInSqlite = inSqlite(`where ${isKeyed ? '' : 'rowid = $1 and '}${isSame} returning 1 as n`)
  // Keys that become alike: withUniqueKey, or the last one counts.
  const update = (columns as readonly string[]).includes('key') ? 'update' : 'update or replace'
  return {
    remove: statement(`delete from ${place} ${where}`, `delete from ${place} ${whereInSqlite}`),
    rewrite: statement(
      `update ${place} set ${set} ${where}`,
      `${update} ${place} set ${inSqlite(set)} ${whereInSqlite}`,
    ),
  }
}

// Payloads have digests: they are swapped (payloads.ts).
const OTHERS = PERSONAL_TABLE_NAMES.filter((name) => name !== 'payloads')
const REWRITING: ReadonlyMap<PersonalTableName, ReturnType<typeof rewritingOf>> = new Map(
  OTHERS.map((name) => [name, rewritingOf(name)]),
)

/** Rows that were changed since they were read are left alone; returns the count of the others. */
export function* rewriteRows(changes: readonly PersonalChange[]): Steps<number> {
  let count = 0
  for (const one of changes) count += yield* change(one)
  if (count > 0) yield* readAnew()
  return count
}

function* change(one: PersonalChange): Steps<number> {
  const separate = withUniqueKey(one)
  if (separate === null) return yield* write(one)
  yield* query(beforeRow)
  try {
    return yield* write(one)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!UNIQUE_VIOLATIONS.includes(code)) throw error
    yield* query(backToRow)
    return yield* write(separate)
  }
}

function* write({ place, row, from, to }: PersonalChange): Steps<number> {
  const rewriting = REWRITING.get(place)
  if (!rewriting) throw new Error(`${place} is not rewritten row by row.`)
  if (to !== null) return (yield* query(rewriting.rewrite, [row, ...from, ...to])).length
  const gone = (yield* query(rewriting.remove, [row, ...from])).length
  if (place === 'customers' && gone > 0) yield* query(addCustomers, [-gone])
  return gone
}
