import { createHash } from 'node:crypto'
import { keyOfFirst } from '../../domain/queue/delivery.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import type { Attempt, Batch, BatchResult, Effect } from '../../ports/attempt.ts'
import type { Connection, Dialect, Limits, Named } from './dialect.ts'
import { SqlFailure } from './errors.ts'
import type { Outcomes } from './outcome.ts'
import type { Transaction } from './pool.ts'
import type { Ready, Tables } from './ready.ts'
import type { Value } from './tables/columns.ts'
import type { TakenRecord } from './tables/records.ts'

/** The longest that stands in an index of any of the databases. */
const LONGEST = 191

/**
 * The `booking_key` of the rows of a record: the attempt's key; a very long one by its beginning and its SHA-256. A record that is
 * written once more takes the place of its first rows.
 */
export function bookingKey(attemptKey: string): string {
  const key = keyOfFirst(attemptKey)
  if (key.length <= LONGEST && /^[\x21-\x7e]*$/.test(key)) return key
  const digest = createHash('sha256').update(key).digest('hex')
  return `${key.replace(/[^\x21-\x7e]/g, '_').slice(0, LONGEST - digest.length - 1)}~${digest}`
}

/**
 * The part of a row that the columns have no room for, in words without the value; null: it fits. Databases round off what follows
 * the last digit that they keep, and say nothing.
 */
function misfit({ name, columns }: Named, row: readonly Value[], limits: ReadonlyMap<string, Limits>): string | null {
  for (const [index, column] of columns.entries()) {
    const value = row[index]
    const limit = limits.get(column.name)
    if (typeof value !== 'string' || !limit) continue
    const fault = column.type === 'decimal' ? digitsFault(value, limit) : lengthFault(value, limit)
    if (fault) return `${name}.${column.name} ${fault}`
  }
  return null
}

function digitsFault(value: string, { digits }: Limits): string | null {
  if (!digits) return null
  const [before = '', after = ''] = value.replace('-', '').split('.')
  if (after.length > digits.after) return `keeps ${digits.after} decimals, and this has ${after.length}`
  const whole = before.replace(/^0+/, '').length
  return whole > digits.before ? `has room for ${digits.before} digits before the point, and this has ${whole}` : null
}

function lengthFault(value: string, { characters, bytes }: Limits): string | null {
  if (characters !== null && value.length > characters) {
    const length = [...value].length
    if (length > characters) return `has room for ${characters} characters, and this has ${length}`
  }
  if (bytes !== null && value.length * 4 > bytes) {
    const length = Buffer.byteLength(value)
    if (length > bytes) return `has room for ${bytes} bytes, and this has ${length}`
  }
  return null
}

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

interface Written {
  key: string
  rows: Value[][][]
}

export function createBook(record: TakenRecord, tools: Tools): Book {
  const { destination, dialect, transaction, outcomes, named, tables } = tools
  const [first] = named
  if (!first) throw new TypeError(`${record.method} has no table`)
  const head = first
  const effect: Effect = { note: `written to ${head.name}` }

  function rowsOf({ argument, attempt }: Batch<unknown>[number]): Written | Error {
    const key = bookingKey(attempt.key)
    try {
      return { key, rows: record.tables.map((table) => table.rowsOf(argument, key)) }
    } catch (error) {
      if (!(error instanceof PermanentError)) throw error
      return new PermanentError(`${destination}: ${head.name}: ${error.message}`, { code: error.code, cause: error })
    }
  }

  /** Faults of the records that the columns have no room for. */
  async function misfits(records: readonly Written[], signal: AbortSignal): Promise<Map<Written, Error>> {
    const { catalog } = await tables.ready(signal)
    const found = new Map<Written, Error>()
    for (const one of records) {
      const fault = firstOf(named, (table, index) => {
        return firstOf(one.rows[index] ?? [], (row) => misfit(table, row, catalog.get(table.name) ?? new Map()))
      })
      if (fault) found.set(one, new PermanentError(`${destination}: ${fault}`, { code: 'no-room' }))
    }
    return found
  }

  async function keep(connection: Connection, records: readonly Written[], { schema }: Ready): Promise<void> {
    // In one order, so that two that write at once do not wait for each other.
    const sorted = [...new Map(records.map((one) => [one.key, one])).values()].sort((a, b) => (a.key < b.key ? -1 : 1))
    const rowsIn = (index: number) => sorted.flatMap(({ rows }) => rows[index] ?? [])
    await dialect.upsert(connection, head, rowsIn(0), schema)
    // The records' own rows are locked now: nobody else writes their lines.
    const keys = sorted.map(({ key }) => key)
    for (const [index, table] of named.entries()) {
      if (index === 0) continue
      await dialect.deleteKeys(connection, table, keys, schema)
      await dialect.insert(connection, table, rowsIn(index), schema)
    }
  }

  async function tryToWrite(
    records: readonly Written[],
    faults: ReadonlyMap<Written, Error>,
    signal: AbortSignal,
  ): Promise<SqlFailure | null> {
    const fit = records.filter((one) => !faults.has(one))
    if (fit.length === 0) return null
    const ready = await tables.ready(signal)
    try {
      await transaction(signal, (connection) => keep(connection, fit, ready))
      return null
    } catch (error) {
      if (error instanceof SqlFailure) return error
      throw error
    }
  }

  /** The records that were not written, and why. Tables may have been changed, or taken away, since they were looked at. */
  async function write(records: readonly Written[], signal: AbortSignal): Promise<Map<Written, Error>> {
    let faults = await misfits(records, signal)
    if (faults.size > 0) {
      tables.forget()
      faults = await misfits(records, signal)
    }
    let failure = await tryToWrite(records, faults, signal)
    if (failure && TABLES.includes(failure.trouble.kind)) {
      tables.forget()
      const now = await misfits(records, signal)
      if (failure.trouble.kind === 'missing' || now.size > faults.size) {
        faults = now
        failure = await tryToWrite(records, faults, signal)
      }
    }
    if (!failure) return faults
    const error = outcomes.ofWriting(failure, records.length - faults.size)
    return new Map(records.map((one) => [one, faults.get(one) ?? error]))
  }

  return {
    async write(batch) {
      const signal = batch[0]?.attempt.signal
      if (!signal) return []
      const read = batch.map(rowsOf)
      const failed = await write(
        read.flatMap((one) => (one instanceof Error ? [] : one)),
        signal,
      )
      return read.map((one) => (one instanceof Error ? one : (failed.get(one) ?? effect)))
    },

    async find({ key, signal }) {
      const { schema } = await tables.ready(signal)
      try {
        const found = await transaction(signal, (connection) => {
          return dialect.hasKey(connection, head, bookingKey(key), schema)
        })
        return found ? effect : null
      } catch (error) {
        throw outcomes.ofLooking(error)
      }
    },
  }
}

/** Troubles that may be over once the tables are looked at anew. */
const TABLES = ['missing', 'data']

function firstOf<Item>(items: readonly Item[], find: (item: Item, index: number) => string | null): string | null {
  for (const [index, item] of items.entries()) {
    const found = find(item, index)
    if (found !== null) return found
  }
  return null
}
