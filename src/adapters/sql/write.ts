import { createHash } from 'node:crypto'
import { PermanentError } from '../../domain/errors.ts'
import type { Attempt, Batch, BatchResult, Effect } from '../adapter.ts'
import type { Value } from './columns.ts'
import type { Connection, Dialect, Named, Place } from './dialect.ts'
import { misfit } from './limits.ts'
import type { Outcomes } from './outcome.ts'
import type { Tables } from './ready.ts'
import type { TakenRecord } from './records.ts'
import { SqlFailure, type Transaction } from './transaction.ts'

/** Records of one kind, written and looked for. */
export interface Book {
  write(batch: Batch<unknown>): Promise<BatchResult>
  find(attempt: Attempt): Promise<Effect | null>
}

interface Tools {
  destination: string
  dialect: Dialect
  transaction: Transaction
  outcomes: Outcomes
  /** By the names that the database has for them; the first is that of the record. */
  named: readonly Named[]
  tables: Tables
}

/** A record as rows, by table. */
interface Written {
  key: string
  rows: Value[][][]
}

export function createBook(record: TakenRecord, tools: Tools): Book {
  const { destination, dialect, transaction, outcomes, named, tables } = tools
  const [head, ...lines] = named
  if (!head) throw new TypeError(`${record.method} has no table`)
  const effect: Effect = { note: `written to ${head.name}` }

  function rowsOf({ argument, attempt }: Batch<unknown>[number]): Written | Error {
    const key = bookingKey(attempt.key)
    try {
      return { key, rows: record.tables.map((table) => table.rowsOf(argument, key)) }
    } catch (error) {
      if (!(error instanceof PermanentError)) throw error
      return new PermanentError(`${destination}: ${head?.name}: ${error.message}`, { code: error.code, cause: error })
    }
  }

  /** Those that the columns have no room for, with what is wrong. */
  async function misfits(all: readonly (Written | Error)[], signal: AbortSignal): Promise<Map<Written, Error>> {
    const { catalog } = await tables.ready(signal)
    const found = new Map<Written, Error>()
    for (const one of all) {
      if (one instanceof Error) continue
      const fault = firstOf(named, (table, index) => {
        return firstOf(one.rows[index] ?? [], (row) => misfit(table, row, catalog.get(table.name) ?? new Map()))
      })
      if (fault) found.set(one, new PermanentError(`${destination}: ${fault}`, { code: 'no-room' }))
    }
    return found
  }

  async function keep(connection: Connection, records: readonly Written[], place: Place): Promise<void> {
    // In one order, so that two that write at once do not wait for each other.
    const sorted = [...new Map(records.map((one) => [one.key, one])).values()].sort((a, b) => (a.key < b.key ? -1 : 1))
    const rowsOfTable = (table: Named) => sorted.flatMap(({ rows }) => rows[named.indexOf(table)] ?? [])
    if (head) await dialect.upsert(connection, head, rowsOfTable(head), place)
    // The record's own row is locked now: nobody else writes its lines.
    const keys = sorted.map(({ key }) => key)
    for (const table of lines) {
      await dialect.deleteKeys(connection, table, keys, place)
      await dialect.insert(connection, table, rowsOfTable(table), place)
    }
  }

  async function write(records: readonly Written[], signal: AbortSignal, again = false): Promise<Error | null> {
    try {
      const { place } = await tables.ready(signal)
      await transaction(signal, (connection) => keep(connection, records, place))
      return null
    } catch (error) {
      // Somebody has taken a table away, or changed it: they are looked at, or made, once more.
      if (error instanceof SqlFailure && error.trouble.kind === 'missing' && !again) {
        tables.forget()
        return await write(records, signal, true)
      }
      return outcomes.ofWriting(error, records.length)
    }
  }

  return {
    async write(batch) {
      const signal = batch[0]?.attempt.signal
      if (!signal) return []
      const read = batch.map(rowsOf)
      let faults = await misfits(read, signal)
      if (faults.size > 0) {
        // A column may have been widened since it was looked at.
        tables.forget()
        faults = await misfits(read, signal)
      }
      const fit = read.filter((one) => !(one instanceof Error) && !faults.has(one)) as Written[]
      const failure = fit.length > 0 ? await write(fit, signal) : null
      return read.map((one) => (one instanceof Error ? one : (faults.get(one) ?? failure ?? effect)))
    },

    async find({ key, signal }) {
      const { place } = await tables.ready(signal)
      try {
        const found = await transaction(signal, (connection) => {
          return dialect.hasKey(connection, head, bookingKey(key), place)
        })
        return found ? effect : null
      } catch (error) {
        throw outcomes.ofLooking(error)
      }
    },
  }
}

/** The longest that stands in an index of any of the databases. */
const LONGEST = 191

/** What the rows of a record have in `booking_key`: the attempt's key; a very long one by its beginning and its SHA-256. */
function bookingKey(key: string): string {
  if (key.length <= LONGEST && /^[\x21-\x7e]*$/.test(key)) return key
  const digest = createHash('sha256').update(key).digest('hex')
  return `${key.replace(/[^\x21-\x7e]/g, '_').slice(0, LONGEST - digest.length - 1)}~${digest}`
}

function firstOf<Item>(items: readonly Item[], find: (item: Item, index: number) => string | null): string | null {
  for (const [index, item] of items.entries()) {
    const found = find(item, index)
    if (found !== null) return found
  }
  return null
}
