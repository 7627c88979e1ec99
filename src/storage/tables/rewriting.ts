import type { Payload } from '../payload.ts'
import {
  PERSONAL_TABLE_NAMES,
  type PersonalChange,
  type PersonalTableName,
  personalTable,
  quoted,
  withUniqueKey,
} from '../personal-places.ts'
import { noteRewritten } from './audit.ts'
import { addCustomers } from './directory.ts'
import { rewritePayload } from './payloads.ts'
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
  const changed = place === 'audit' ? 'id as n' : '1 as n'
  const where = `where ctid = $1::text::tid and ${isSame} returning ${changed}`
  const whereInSqlite = inSqlite(`where ${isKeyed ? '' : 'rowid = $1 and '}${isSame} returning ${changed}`)
  // Keys that become alike: withUniqueKey, or the last one counts.
  const update = (columns as readonly string[]).includes('key') ? 'update' : 'update or replace'
  return {
    remove: statement<{ n: number }>(`delete from ${place} ${where}`, `delete from ${place} ${whereInSqlite}`),
    rewrite: statement<{ n: number }>(
      `update ${place} set ${set} ${where}`,
      `${update} ${place} set ${inSqlite(set)} ${whereInSqlite}`,
    ),
  }
}

// Payloads may be compressed.
const OTHERS = PERSONAL_TABLE_NAMES.filter((name) => name !== 'payloads')
const REWRITING: ReadonlyMap<PersonalTableName, ReturnType<typeof rewritingOf>> = new Map(
  OTHERS.map((name) => [name, rewritingOf(name)]),
)

/** Rows that were changed since they were read are left alone; returns the count of the others. */
export function* rewriteRows(changes: readonly PersonalChange[]): Steps<number> {
  let count = 0
  const entries: number[] = []
  for (const one of changes) {
    const changed = yield* rewriteRow(one)
    count += changed.length
    if (one.place === 'audit' && one.to !== null) entries.push(...changed)
  }
  if (entries.length > 0) yield* noteRewritten(entries)
  if (count > 0) yield* readAnew()
  return count
}

/** One of an entry of the audit is its id. */
function* rewriteRow(one: PersonalChange): Steps<number[]> {
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

function* write(change: PersonalChange): Steps<number[]> {
  const { place, row, from, to } = change
  if (place === 'payloads') return yield* rewritePayload(asPayload(row, from), asPayload(row, to ?? []))
  const rewriting = REWRITING.get(place)
  if (!rewriting) throw new Error(`${place} is not rewritten row by row.`)
  const [asked, values] = to === null ? [rewriting.remove, [row, ...from]] : [rewriting.rewrite, [row, ...from, ...to]]
  const changed = (yield* query(asked, values)).map(({ n }) => n)
  if (to === null && place === 'customers' && changed.length > 0) yield* query(addCustomers, [-changed.length])
  return changed
}

function asPayload(row: string, [headers, body]: PersonalChange['from']): Payload {
  return {
    id: Number(row),
    headers: typeof headers === 'string' ? headers : '{}',
    body: body instanceof Uint8Array ? body : new Uint8Array(),
  }
}
