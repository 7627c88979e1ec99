import { createHash } from 'node:crypto'
import { keyOfFirst } from '../../domain/queue/delivery.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import type { Pool } from '../../lib/pool.ts'
import type { Attempt, Batch, BatchResult, Effect } from '../../ports/attempt.ts'
import type { Catalog, Connection, Dialect, Named, Schema } from './dialect.ts'
import { type Fault, type Outcomes, SqlFailure } from './outcome.ts'
import type { TakenRecord, Value } from './tables.ts'

const LONGEST_KEY = 191

/** The attempt's key; if too long, its beginning and SHA-256. */
export function bookingKey(attemptKey: string): string {
  const key = keyOfFirst(attemptKey)
  if (key.length <= LONGEST_KEY && /^[\x21-\x7e]*$/.test(key)) return key
  const digest = createHash('sha256').update(key).digest('hex')
  return `${key.replace(/[^\x21-\x7e]/g, '_').slice(0, LONGEST_KEY - digest.length - 1)}~${digest}`
}

export interface Lacking {
  name: string
  statements: string[]
  /** A foreign table of this name. */
  isOther: boolean
}

export function lackingOf(dialect: Dialect, table: Named, catalog: Catalog, schema: Schema): Lacking[] {
  const columns = catalog.get(table.name)
  if (!columns) return [{ name: `table ${table.name}`, statements: dialect.createTable(table, schema), isOther: false }]
  if (!table.hasLines && columns.get('booking_key')?.isUnique === false)
    return [{ name: `unique ${table.name}.booking_key`, statements: [], isOther: true }]
  const lacking = [...table.columns, BOOKED_AT].filter(({ name }) => !columns.has(name))
  if (lacking.length === 0) return []
  return [
    {
      name: `column ${lacking.map(({ name }) => `${table.name}.${name}`).join(', ')}`,
      statements: dialect.addColumns(table, lacking, schema),
      isOther: lacking.some(({ type }) => type === 'key' || type === 'number'),
    },
  ]
}

const BOOKED_AT = { name: 'booked_at', type: 'instant' } as const

export interface BookTools {
  destination: string
  what: string
  dialect: Dialect
  transaction: Transaction
  outcomes: Outcomes
  create: boolean
}

const TRIES = 3

function createTableCheck(tables: readonly Named[], { dialect, transaction, outcomes, what, create }: BookTools) {
  let known: { schema: Schema; catalog: Catalog } | null = null

  async function check(connection: Connection) {
    const schema = await dialect.schema(connection)
    const catalog = await dialect.catalog(connection, tables, schema)
    const lacking = tables.flatMap((table) => lackingOf(dialect, table, catalog, schema))
    if (lacking.length === 0) return { schema, catalog }
    if (!create || lacking.some(({ isOther }) => isOther)) throw missing(what, lacking)
    for (const { statements } of lacking) for (const statement of statements) await connection.query(statement)
    return { schema: { ...schema, exists: true }, catalog: await dialect.catalog(connection, tables, schema) }
  }

  return {
    async ready(signal: AbortSignal) {
      for (let tried = 1; !known; tried++) {
        const found = await transaction(signal, (connection) => check(connection).catch(keepPermanent)).catch(
          (error: unknown) => {
            const exists = error instanceof SqlFailure && error.fault.kind === 'exists'
            if (!exists || tried >= TRIES) throw outcomes.ofLooking(error)
            return null
          },
        )
        if (found instanceof Error) throw found
        known = found
      }
      return known
    },
    discard() {
      known = null
    },
  }
}

function keepPermanent(error: unknown): PermanentError {
  if (error instanceof PermanentError) return error
  throw error
}

function missing(what: string, lacking: readonly Lacking[]): PermanentError {
  const other = lacking.find(({ isOther }) => isOther)
  const names = lacking.map(({ name }) => name).join(', ')
  const statements = lacking.flatMap(({ statements }) => statements).join('; ')
  return other
    ? new PermanentError(`${what} has a table of this name that is something else: there is no ${other.name}.`, {
        code: 'bad-table',
        mayBeWide: true,
      })
    : new PermanentError(`${what} has no ${names}. This makes it: ${statements};`, {
        code: 'no-table',
        mayBeWide: true,
      })
}

export interface Book {
  write(batch: Batch<unknown>): Promise<BatchResult>
  find(attempt: Attempt): Promise<Effect | null>
}

interface Written {
  key: string
  rows: Value[][][]
}

/** `named`: tables as the database names them, the head first. */
export function createBook(record: TakenRecord, named: readonly [Named, ...Named[]], tools: BookTools): Book {
  const { destination, dialect, transaction, outcomes } = tools
  const tables = createTableCheck(named, tools)
  const [head, ...lines] = named
  const effect: Effect = { note: `written to ${head.name}` }

  function rowsOf({ argument, attempt }: Batch<unknown>[number]): Written | Error {
    const key = bookingKey(attempt.key)
    try {
      return { key, rows: record.tables.map((table) => table.rowsOf(argument as object, key)) }
    } catch (error) {
      if (!(error instanceof PermanentError)) throw error
      return new PermanentError(`${destination}: ${head.name}: ${error.message}`, { code: error.code, cause: error })
    }
  }

  async function oversized(records: readonly Written[], signal: AbortSignal): Promise<Map<Written, Error>> {
    const { catalog } = await tables.ready(signal)
    const found = new Map<Written, Error>()
    for (const one of records) {
      const faults = named
        .values()
        .flatMap((table, index) => (one.rows[index] ?? []).values().map((row) => tooManyDigits(table, row, catalog)))
      const writeFault = faults.find((each) => each !== null)
      if (writeFault) found.set(one, new PermanentError(`${destination}: ${writeFault}`, { code: 'no-room' }))
    }
    return found
  }

  async function keep(connection: Connection, records: readonly Written[], schema: Schema): Promise<void> {
    // By key: concurrent writers do not deadlock.
    const sorted = [...new Map(records.map((one) => [one.key, one])).values()].sort((a, b) => (a.key < b.key ? -1 : 1))
    const rowsIn = (index: number) => sorted.flatMap(({ rows }) => rows[index] ?? [])
    await dialect.upsert(connection, head, rowsIn(0), schema)
    // Rows of the head are locked: no other transaction writes their lines.
    const keys = sorted.map(({ key }) => key)
    for (const [index, table] of lines.entries()) {
      await dialect.deleteKeys(connection, table, keys, schema)
      await dialect.insert(connection, table, rowsIn(index + 1), schema)
    }
  }

  async function tryToWrite(records: readonly Written[], signal: AbortSignal): Promise<SqlFailure | null> {
    if (records.length === 0) return null
    const { schema } = await tables.ready(signal)
    try {
      await transaction(signal, (connection) => keep(connection, records, schema))
      return null
    } catch (error) {
      if (error instanceof SqlFailure) return error
      throw error
    }
  }

  async function write(records: readonly Written[], signal: AbortSignal, isLast = false): Promise<Map<Written, Error>> {
    const faults = await oversized(records, signal)
    if (faults.size > 0 && !isLast) {
      tables.discard()
      return await write(records, signal, true)
    }
    const fit = records.filter((one) => !faults.has(one))
    const failure = await tryToWrite(fit, signal)
    if (!failure) return faults
    if (!isLast && ['missing', 'data'].includes(failure.fault.kind)) {
      tables.discard()
      return await write(records, signal, true)
    }
    const error = outcomes.ofWriting(failure, fit.length)
    return new Map(records.map((one) => [one, faults.get(one) ?? error]))
  }

  return {
    async write(batch) {
      const [first] = batch
      if (!first) return []
      const read = batch.map(rowsOf)
      const records = read.filter((one): one is Written => !(one instanceof Error))
      const failed = await write(records, first.attempt.signal)
      return read.map((one) => (one instanceof Error ? one : (failed.get(one) ?? effect)))
    },

    async find({ key, signal }) {
      const { schema } = await tables.ready(signal)
      const table = { name: head.name, amountColumn: null }
      const rows = await transaction(signal, (connection) =>
        dialect.reconcile(connection, table, [bookingKey(key)], schema),
      ).catch((error: unknown) => {
        throw outcomes.ofLooking(error)
      })
      return rows.length > 0 ? effect : null
    },
  }
}

function tooManyDigits({ name, columns }: Named, row: readonly Value[], catalog: Catalog): string | null {
  const limits = catalog.get(name)
  for (const [index, column] of columns.entries()) {
    const value = row[index]
    const digits = limits?.get(column.name)?.digits
    if (column.type !== 'decimal' || typeof value !== 'string' || !digits) continue
    const [before = '', after = ''] = value.replace('-', '').split('.')
    const where = `${name}.${column.name}`
    if (after.length > digits.after) return `${where} keeps ${digits.after} decimals, and this has ${after.length}`
    const whole = before.replace(/^0+/, '').length
    if (whole > digits.before)
      return `${where} has room for ${digits.before} digits before the point, and this has ${whole}`
  }
  return null
}

type Transaction = <T>(signal: AbortSignal, work: (connection: Connection) => Promise<T>) => Promise<T>

const HARMLESS: readonly Fault['kind'][] = ['conflict', 'data', 'missing', 'rights', 'size', 'statement']

export function createTransaction(pool: Pool<Connection>, { faultOf }: Pick<Dialect, 'faultOf'>): Transaction {
  return async (signal, work) => {
    let stage: SqlFailure['stage'] = 'before'
    /** Null: the server had closed it; try another. */
    async function on(connection: Connection, isReused: boolean) {
      try {
        await connection.query('begin')
      } catch (error) {
        if (!isReused || signal.aborted) throw error
        connection.destroy()
        return null
      }
      stage = 'work'
      try {
        const result = await work(connection)
        stage = 'commit'
        await connection.query('commit')
        return { result }
      } catch (error) {
        await undo(connection, error)
        throw error
      }
    }

    async function undo(connection: Connection, error: unknown): Promise<void> {
      if (!connection.isOpen) return
      if (HARMLESS.includes(faultOf(error).kind)) await connection.query('rollback').catch(() => connection.destroy())
      else connection.destroy()
    }

    try {
      for (;;) {
        const done = await pool.use(signal, on)
        if (done) return done.result
      }
    } catch (error) {
      throw new SqlFailure(stage, signal.aborted, faultOf(error))
    }
  }
}
