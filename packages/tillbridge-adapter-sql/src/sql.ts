import { createHash } from 'node:crypto'
import {
  type Attempt,
  type BackOfficePort,
  type Batch,
  type BatchResult,
  type BookingName,
  checkedText,
  createPool,
  defineAdapter,
  type Effect,
  type GivenRecord,
  type HealthFinding,
  keyOfFirst,
  type Money,
  PermanentError,
  type Pool,
  parseDecimal,
  type Reconciled,
  type ReconcileRecords,
  secret,
} from 'tillbridge/adapter'
import { z } from 'zod'
import { readSqlUrl, sqlUrlFault } from './address.ts'
import type { Catalog, Connection, Dialect, Named, ReconciledRow, Schema } from './dialect.ts'
import { mysqlConnect, mysqlDialect } from './mysql.ts'
import { createOutcomes, type Fault, type Outcomes, SqlFailure } from './outcome.ts'
import { postgresConnect, postgresDialect } from './postgres.ts'
import { RECORD_NAMES, recordsTaken, type TakenRecord, type Value } from './tables.ts'

const IDLE_MS = 30_000

const SqlOptions = z
  .strictObject({
    url: secret(checkedText(sqlUrlFault)).describe(
      'The database: postgres://, mysql:// or mariadb://, with user, password and database; ?sslmode=verify-full for TLS.',
    ),
    schema: z
      .string()
      .regex(/^[a-z_][a-z0-9_]{0,62}$/, 'Must be small letters, digits and _, 63 at most.')
      .optional()
      .describe("PostgreSQL: the schema that holds the tables; without it, the first of the user's search path."),
    tablePrefix: z
      .string()
      .regex(/^([a-z][a-z0-9_]{0,29})?$/, 'Must be small letters, digits and _, 30 at most.')
      .default('tillbridge_')
      .describe('What the name of each table begins with.'),
    createTables: z
      .boolean()
      .default(true)
      .describe('Whether tables and columns that are missing are made when they are needed first.'),
    customers: z
      .boolean()
      .default(false)
      .describe('Whether it is written who bought: name, company, e-mail, phone, number.'),
    only: z
      .array(z.enum(RECORD_NAMES))
      .min(1)
      .optional()
      .describe('Which records are taken, by their table; without it, all.'),
  })
  .refine(({ url, schema }) => schema === undefined || /^postgres/i.test(url), {
    path: ['schema'],
    error: 'Is for PostgreSQL only: the url names the database.',
  })

export default defineAdapter({
  name: 'sql',
  options: SqlOptions,
  create({ url, schema, tablePrefix, createTables: create, customers, only }, context) {
    const { destination, concurrency, timeout, allowPrivate } = context
    const address = { ...readSqlUrl(url), allowPrivate }
    const isPostgres = address.dialect === 'postgres'
    const dialect = isPostgres ? postgresDialect(schema) : mysqlDialect
    const connect = (isPostgres ? postgresConnect : mysqlConnect)(address, timeout)
    const pool = createPool({ connect, connections: concurrency, idleMs: IDLE_MS })
    const transaction = createTransaction(pool, dialect)
    const outcomes = createOutcomes(destination, address)
    const what = `${destination}: ${address.server}`
    const tools: BookTools = { destination, what, dialect, transaction, outcomes, create }

    const named = ({ name, hasLines, columns }: Named): Named => ({ name: `${tablePrefix}${name}`, hasLines, columns })
    const records = recordsTaken(only, customers).map((record) => {
      const [head, ...lines] = record.tables
      const tables = [named(head), ...lines.map(named)] as const
      return { method: record.method, tables, book: createBook(record, tables, tools) }
    })
    const bookOf = (method: string) => records.find((record) => record.method === method)?.book
    const methods = records.map(({ method, book }) => [method, (batch: Batch<unknown>) => book.write(batch)])
    const heads = new Map(records.map(({ method, tables }) => [method, tables[0].name]))

    return {
      gathers: true,
      // A repeat is the same row.
      inDoubtFor: 0,
      ports: {
        backOffice: {
          ...(Object.fromEntries(methods) as BackOfficePort),
          reconcile: createReconcile(heads, tools),
          find: async (attempt, { method }) => (await bookOf(method)?.find(attempt)) ?? null,
        },
      },
      healthCheck: ({ signal }) =>
        checkDatabase(
          records.flatMap(({ tables }) => tables),
          { ...tools, signal },
        ),
      [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
    }
  },
})

const AMOUNTS: Readonly<Partial<Record<BookingName, string>>> = {
  bookSale: 'total',
  bookInvoice: 'amount',
  bookSettlement: 'grand_total',
  bookGiftCard: 'amount',
  bookTerminal: 'amount',
}

function createReconcile(
  heads: ReadonlyMap<BookingName, string>,
  { dialect, transaction, outcomes }: BookTools,
): ReconcileRecords['reconcile'] {
  async function rowsOf(method: BookingName, keys: readonly string[], signal: AbortSignal) {
    const name = heads.get(method)
    if (name === undefined) return null
    const table = { name, amountColumn: AMOUNTS[method] ?? null }
    return await transaction(signal, async (connection) =>
      dialect.reconcile(connection, table, keys, await dialect.schema(connection)),
    )
  }

  return async (given, { signal }) => {
    const answers = new Map<GivenRecord, Reconciled>()
    try {
      for (const [method, some] of Map.groupBy(given, (one) => one.method)) {
        const rows = await rowsOf(method, [...new Set(some.map(keyOf))], signal)
        const byKey = new Map(rows?.map((row) => [row.key, row]))
        for (const one of some) answers.set(one, rows ? talliedOf(byKey.get(keyOf(one))) : NOT_TAKEN)
      }
    } catch (error) {
      throw outcomes.ofLooking(error)
    }
    return given.map((one) => answers.get(one) ?? NOT_TAKEN)
  }
}

function keyOf({ keys: [first] }: GivenRecord): string {
  return bookingKey(first)
}

const NOT_TAKEN: Reconciled = { is: 'unknown', why: 'config does not write it there any more' }

function talliedOf(row: ReconciledRow | undefined): Reconciled {
  return row === undefined ? { is: 'lacking' } : { is: 'there', count: row.count, amount: amountOf(row) }
}

function amountOf({ amount, currency }: ReconciledRow): Money | null {
  const code = currency?.trim().toUpperCase() ?? ''
  if (amount === null || !/^[A-Z]{3}$/.test(code) || !/^-?\d{1,30}(\.\d{1,30})?$/.test(amount)) return null
  return { amount: parseDecimal(amount), currency: code }
}

type CheckTools = BookTools & { signal: AbortSignal }

async function checkDatabase(tables: readonly Named[], tools: CheckTools): Promise<HealthFinding[]> {
  const { dialect, outcomes } = tools
  try {
    const { schema, catalog } = await tools.transaction(tools.signal, async (connection) => {
      const schema = await dialect.schema(connection)
      return { schema, catalog: await dialect.catalog(connection, tables, schema) }
    })
    const found: HealthFinding[] = [
      { what: 'connection', state: 'ok', says: 'The database answers.' },
      { what: 'credentials', state: 'ok', says: 'It takes our user and password.' },
    ]
    for (const table of tables) found.push(await checkTable(table, schema, catalog, tools))
    return found
  } catch (error) {
    throw outcomes.ofLooking(error)
  }
}

async function checkTable(table: Named, schema: Schema, catalog: Catalog, tools: CheckTools): Promise<HealthFinding> {
  const what = `table ${table.name}`
  const problem = (says: string, todo: string): HealthFinding => ({ what, state: 'problem', says, todo })
  const grant = `grant select, insert, update and delete on ${table.name} to the user of the url.`
  const needed = lackingOf(tools.dialect, table, catalog, schema)
  // The catalogue hides what the user has no right on.
  const refusal = await refusedStatement(table, schema, tools)
  if (!catalog.has(table.name) && refusal?.kind === 'rights') return problem('This user has no right on it.', grant)
  const other = needed.find(({ isOther }) => isOther)
  if (other) return problem(`It is something else: there is no ${other.name}.`, 'give tablePrefix another value.')
  if (needed.length > 0) {
    const says = catalog.has(table.name)
      ? `There is no ${needed.map(({ name }) => name).join(', ')}`
      : 'It is not there'
    const statements = needed.flatMap(({ statements }) => statements).join('; ')
    return tools.create
      ? { what, state: 'note', says: `${says}: the next record adds it, if this user may.` }
      : problem(`${says}, and createTables is false.`, `run: ${statements};`)
  }
  if (!refusal) return { what, state: 'ok', says: 'It is as it should be, and this user may write there.' }
  return refusal.kind === 'rights'
    ? problem(`This user may not ${refusal.statement} there.`, grant)
    : problem(`It is not as it is written to (${refusal.statement}).`, AS_IT_IS_MADE)
}

const AS_IT_IS_MADE =
  'compare it with the one that the hub makes (a unique booking_key), or give tablePrefix another value.'

async function refusedStatement(table: Named, schema: Schema, { dialect, transaction, signal }: CheckTools) {
  const samples = { key: 'x', number: 1 } as const
  const rows = [table.columns.map(({ type }) => (type === 'key' || type === 'number' ? samples[type] : null))]
  const statements: Record<string, (connection: Connection) => Promise<unknown>> = table.hasLines
    ? {
        insert: (connection) => dialect.insert(connection, table, rows, schema),
        delete: (connection) => dialect.deleteKeys(connection, table, ['x'], schema),
      }
    : {
        'insert and update': (connection) => dialect.upsert(connection, table, rows, schema),
        select: (connection) => dialect.reconcile(connection, { ...table, amountColumn: null }, ['x'], schema),
      }
  for (const [statement, plan] of Object.entries(statements))
    try {
      await transaction(signal, (connection) => {
        const query: Connection['query'] = (text, values) => connection.query(`explain ${text}`, values)
        return plan({ ...connection, query })
      })
    } catch (error) {
      const kind = error instanceof SqlFailure ? error.fault.kind : null
      if (kind === null || !['rights', 'missing', 'statement', 'data'].includes(kind)) throw error
      return { kind, statement }
    }
  return null
}

const LONGEST_KEY = 191

/** The attempt's key; if too long, its beginning and SHA-256. */
function bookingKey(attemptKey: string): string {
  const key = keyOfFirst(attemptKey)
  if (key.length <= LONGEST_KEY && /^[\x21-\x7e]*$/.test(key)) return key
  const digest = createHash('sha256').update(key).digest('hex')
  return `${key.replace(/[^\x21-\x7e]/g, '_').slice(0, LONGEST_KEY - digest.length - 1)}~${digest}`
}

interface Lacking {
  name: string
  statements: string[]
  /** A foreign table of this name. */
  isOther: boolean
}

function lackingOf(dialect: Dialect, table: Named, catalog: Catalog, schema: Schema): Lacking[] {
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

interface BookTools {
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

interface Book {
  write(batch: Batch<unknown>): Promise<BatchResult>
  find(attempt: Attempt): Promise<Effect | null>
}

interface Written {
  key: string
  rows: Value[][][]
}

/** `named`: tables as the database names them, the head first. */
function createBook(record: TakenRecord, named: readonly [Named, ...Named[]], tools: BookTools): Book {
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

function createTransaction(pool: Pool<Connection>, { faultOf }: Pick<Dialect, 'faultOf'>): Transaction {
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
