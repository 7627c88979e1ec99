import { digestOfPayloads, type Payload, type Swap } from '../payloads/block.ts'
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
import { lockHolds } from './gone-events.ts'
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

// Payloads have digests: they are swapped.
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

function* write({ place, row, from, to }: PersonalChange): Steps<number[]> {
  const rewriting = REWRITING.get(place)
  if (!rewriting) throw new Error(`${place} is not rewritten row by row.`)
  const [asked, values] = to === null ? [rewriting.remove, [row, ...from]] : [rewriting.rewrite, [row, ...from, ...to]]
  const changed = (yield* query(asked, values)).map(({ n }) => n)
  if (to === null && place === 'customers' && changed.length > 0) yield* query(addCustomers, [-changed.length])
  return changed
}

const holdOf = statement('select event_id as id from legal_holds where event_id = any($1::bigint[]) limit 1')
const holdIn = statement(`
  select h.event_id as id from payload_blocks b join legal_holds h on h.event_id between b.first_event and b.last_event
    join events e on e.id = h.event_id and e.kind = b.kind where b.id = any($1::bigint[]) limit 1`)
// Locked against retries.
const lockPending = statement<{ state: string }>(
  `select state from deliveries where event_id = any($1::bigint[])
      and state in ('waiting', 'claimed', 'held', 'dead', 'skipped') order by id for update`,
  `select state from deliveries indexed by deliveries_of_event where event_id in (select value from json_each($1))
      and state in ('waiting', 'claimed', 'held', 'dead') limit 1`,
)
const rangeOf = statement<{ kind: string; before: number; last: number }>(
  'select kind, first_event - 1 as before, last_event as last from payload_blocks where id = $1',
)
const lockOwedIn = statement<{ state: string }>(
  `select state from deliveries d where event_id > $2::bigint and event_id <= $3::bigint
      and state in ('waiting', 'claimed', 'held', 'dead', 'skipped')
      and (select kind from events where id = d.event_id limit 1) = $1
    order by id for update`,
  `select state from deliveries d indexed by deliveries_of_event where event_id > $2 and event_id <= $3
      and state in ('waiting', 'claimed', 'held', 'dead') and (select kind from events where id = d.event_id) = $1 limit 1`,
)
const lockRows = statement<{ id: number }>(
  'select event_id as id from payloads where event_id = any($1::bigint[]) order by event_id for update',
)
const lockPayloads = statement<Payload>(
  'select event_id as id, headers, body from payloads where event_id = any($1::bigint[]) order by event_id for update',
)
const dropBlocks = statement('delete from payload_blocks where id = any($1::bigint[])')
const lockBlocks = statement<{ id: number }>(
  'select id from payload_blocks where id = any($1::bigint[]) order by id for update',
)
const addBlock = statement(`
  insert into payload_blocks (kind, first_event, last_event, payloads, size, body) values ($1, $2, $3, $4, $5, $6)`)
const dropRows = statement('delete from payloads where event_id = any($1::bigint[])')
const setRow = statement('update payloads set headers = $2, body = $3 where event_id = $1')
const setSize = statement('update events set size = $2 where id = $1')

/** Replaces payloads in one commit; false: something changed meanwhile, nothing done. */
export function* swapPayloads(swap: Swap): Steps<boolean> {
  const { blocksOut, blocksIn, rowsOut, rowsChanged, sizes, gone } = swap
  if (yield* isNeeded(gone)) return false
  // A richer body that comes meanwhile waits, then finds its event packed.
  if (!(yield* areStill(rowsOut.ids, rowsOut.digest))) return false
  for (const { id, digest } of rowsChanged) if (!(yield* areStill([id], digest))) return false
  if (blocksOut.length > 0 && (yield* query(lockBlocks, [blocksOut])).length < blocksOut.length) return false
  if (blocksOut.length > 0) yield* query(dropBlocks, [blocksOut])
  for (const { kind, firstEvent, lastEvent, payloads, size, body } of blocksIn)
    yield* query(addBlock, [kind, firstEvent, lastEvent, payloads, size, Buffer.from(body)])
  if (rowsOut.ids.length > 0) yield* query(dropRows, [rowsOut.ids])
  for (const { id, headers, body } of rowsChanged) yield* query(setRow, [id, headers, Buffer.from(body)])
  for (const { id, size } of sizes) yield* query(setSize, [id, size])
  return true
}

function* isNeeded({ events, blocks }: Swap['gone']): Steps<boolean> {
  if (events.length + blocks.length === 0) return false
  yield* query(lockHolds)
  if (events.length > 0 && (yield* query(holdOf, [events])).length > 0) return true
  if (blocks.length > 0 && (yield* query(holdIn, [blocks])).length > 0) return true
  const pending = events.length > 0 ? yield* query(lockPending, [events]) : []
  for (const id of blocks)
    for (const { kind, before, last } of yield* query(rangeOf, [id]))
      pending.push(...(yield* query(lockOwedIn, [kind, before, last])))
  return pending.some(({ state }) => state !== 'skipped')
}

/** One packed meanwhile is not gone with its row. */
function* areStill(ids: readonly number[], digest: string | null): Steps<boolean> {
  if (ids.length === 0) return true
  if (digest === null) return (yield* query(lockRows, [ids])).length === ids.length
  return digestOfPayloads(yield* query(lockPayloads, [ids])) === digest
}
