import { z } from 'zod'
import type { BookingName } from '../../domain/accounting/bookings.ts'
import type { Reconciled } from '../../domain/completeness/reconciled.ts'
import { type Money, parseDecimal } from '../../domain/values/money.ts'
import { createPool } from '../../lib/pool.ts'
import { checkedText, secret } from '../../lib/schema.ts'
import type { Batch, HealthFinding } from '../../ports/attempt.ts'
import type { BackOfficePort, GivenRecord, ReconcileRecords } from '../../ports/ports.ts'
import { defineAdapter } from '../adapter.ts'
import { readSqlUrl, sqlUrlFault } from './address.ts'
import type { Catalog, Connection, Named, ReconciledRow, Schema } from './dialect.ts'
import { mysqlConnect, mysqlDialect } from './mysql.ts'
import { createOutcomes, SqlFailure } from './outcome.ts'
import { postgresConnect, postgresDialect } from './postgres.ts'
import { RECORD_NAMES, recordsTaken } from './tables.ts'
import { type BookTools, bookingKey, createBook, createTransaction, lackingOf } from './write.ts'

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
  create({ url, schema, tablePrefix, createTables: create, customers, only }, { destination, concurrency, timeout }) {
    const address = readSqlUrl(url)
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
