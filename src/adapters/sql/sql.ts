import { z } from 'zod'
import type { BookingName } from '../../domain/books/bookings.ts'
import type { Tallied } from '../../domain/ledger/destination/tallied.ts'
import { type Money, parseDecimal } from '../../domain/values/money.ts'
import { checkedText, secret } from '../../lib/schema.ts'
import type { Batch, Examined } from '../../ports/attempt.ts'
import type { BackOfficePort } from '../../ports/back-office.ts'
import type { GivenRecord, TallyRecords } from '../../ports/tally.ts'
import { defineAdapter } from '../adapter.ts'
import { readSqlUrl, sqlUrlFault } from './address.ts'
import type { Catalog, Connection, Dialect, Named, Schema, TalliedRow } from './dialect.ts'
import { SqlFailure } from './errors.ts'
import { mysqlConnect, mysqlDialect } from './mysql.ts'
import { createOutcomes, type Outcomes } from './outcome.ts'
import { createPool, createTransaction, type Transaction } from './pool.ts'
import { postgresConnect, postgresDialect } from './postgres.ts'
import { columnsOf, createTableCheck, type Lacking, lackingOf } from './ready.ts'
import type { ColumnType, Value } from './tables/columns.ts'
import { RECORD_NAMES, recordsTaken, type TakenRecord } from './tables/records.ts'
import { type Book, bookingKey, createBook } from './write.ts'

interface ExamineTools {
  dialect: Dialect
  transaction: Transaction
  outcomes: Outcomes
  create: boolean
  signal: AbortSignal
}

interface Ground {
  schema: Schema
  catalog: Catalog
  mayCreate: boolean | null
  isReadOnly: boolean
}

/** Looks at the tables of config: nothing is written. Throws as a call does where it gets no further. */
async function examineDatabase(tables: readonly Named[], tools: ExamineTools): Promise<Examined[]> {
  const { dialect, outcomes } = tools
  try {
    const ground = await tools.transaction(tools.signal, async (connection) => {
      const schema = await dialect.schema(connection)
      const catalog = await dialect.catalog(connection, tables, schema)
      const mayCreate = await dialect.mayCreate(connection, schema)
      return { schema, catalog, mayCreate, isReadOnly: await dialect.isReadOnly(connection) }
    })
    const found: Examined[] = [...KNOWN, ...(ground.isReadOnly ? [READ_ONLY] : [])]
    for (const table of tables) found.push(await lookAtTable(table, ground, tools))
    return found
  } catch (error) {
    throw outcomes.ofLooking(error)
  }
}

const KNOWN: Examined[] = [
  { what: 'connection', state: 'ok', says: 'The database answers.' },
  { what: 'credentials', state: 'ok', says: 'It takes our user and password.' },
]

const READ_ONLY: Examined = {
  what: 'rights',
  state: 'problem',
  says: 'Nothing can be written now: the database is read-only, as a standby is.',
  todo: 'name the server in the url that takes writes, or have it made writable.',
}

async function lookAtTable(table: Named, ground: Ground, tools: ExamineTools): Promise<Examined> {
  const { create, dialect } = tools
  const what = `table ${table.name}`
  const problem = (says: string, todo: string): Examined => ({ what, state: 'problem', says, todo })
  const needed = lackingOf(dialect, table, ground.catalog, ground.schema)
  const makes = `run: ${needed.flatMap(({ statements }) => statements).join('; ')};`
  const columns = ground.catalog.get(table.name)
  if (!columns) {
    // A catalogue hides what one has no right on.
    if ((await refusalOf((connection) => dialect.hasKey(connection, table, 'x', ground.schema), tools)) === 'rights')
      return problem('This user has no right on it.', grantFor(table))
    if (!create) return problem('It is not there, and createTables is false.', makes)
    if (ground.mayCreate) return { what, state: 'note', says: 'It is not there, and is made with the first record.' }
    const says = 'It is not there, and this user'
    if (ground.mayCreate === false) return problem(`${says} may not make it.`, makes)
    return { what, state: 'unknown', says: `${says} was not granted to make it, unless by a role.`, todo: makes }
  }
  const other = needed.find(({ isOther }) => isOther)
  if (other) return problem(`It is something else: there is no ${other.name}.`, 'give tablePrefix another value.')
  if (needed.length > 0 && !create) return problem(`There is no ${namesOf(needed)}, and createTables is false.`, makes)

  const unlike = columnsOf(table).flatMap(({ name, type }) => unlikeness(name, type, columns.get(name)?.type, dialect))
  if (unlike.length > 0)
    return problem(`Of another type: ${unlike.join(', ')}.`, 'change them, or give tablePrefix another value.')
  if (needed.length > 0)
    return { what, state: 'note', says: `There is no ${namesOf(needed)}: the next record adds it, if this user may.` }
  return await judgeRights(table, what, ground, tools)
}

function namesOf(lacking: readonly Lacking[]): string {
  return lacking.map(({ name }) => name).join(', ')
}

function unlikeness(name: string, type: ColumnType, is: string | undefined, { keeps }: Dialect): string[] {
  return is === undefined || keeps[type].includes(is) ? [] : [`${name} is ${is}, where ${keeps[type][0]} is written`]
}

/** Has the database plan each statement that the adapter writes with, which asks for the same rights and does nothing. */
async function judgeRights(table: Named, what: string, { schema }: Ground, tools: ExamineTools): Promise<Examined> {
  const { dialect } = tools
  const rows = [table.columns.map(({ type }) => SAMPLES[type] ?? null)]
  const statements: [string, (connection: Connection) => Promise<unknown>][] = table.hasLines
    ? [
        ['insert', (connection) => dialect.insert(connection, table, rows, schema)],
        ['delete', (connection) => dialect.deleteKeys(connection, table, ['x'], schema)],
      ]
    : [
        ['insert and update', (connection) => dialect.upsert(connection, table, rows, schema)],
        ['select', (connection) => dialect.hasKey(connection, table, 'x', schema)],
      ]
  const lacking: string[] = []
  for (const [name, statement] of statements) {
    const refusal = await refusalOf(statement, tools)
    if (refusal === 'rights') lacking.push(name)
    else if (refusal !== null)
      return { what, state: 'problem', says: `It is not as it is written to (${name}).`, todo: AS_IT_IS_MADE }
  }
  if (lacking.length > 0)
    return { what, state: 'problem', says: `This user may not ${lacking.join(', ')} there.`, todo: grantFor(table) }
  return { what, state: 'ok', says: 'It is as it should be, and this user may write there.' }
}

const AS_IT_IS_MADE =
  'compare it with the one that the hub makes (a unique booking_key), or give tablePrefix another value.'

const SAMPLES: Partial<Record<ColumnType, Value>> = { key: 'x', number: 1 }

function grantFor({ name }: Named): string {
  return `grant select, insert, update and delete on ${name} to the user of the url.`
}

/** The refusal that keeps a statement from being carried out; null: none. It is planned, not carried out. */
async function refusalOf(
  statement: (connection: Connection) => Promise<unknown>,
  { transaction, signal }: ExamineTools,
): Promise<string | null> {
  try {
    await transaction(signal, (connection) => statement(explaining(connection)))
    return null
  } catch (error) {
    const kind = error instanceof SqlFailure ? error.trouble.kind : null
    if (kind !== null && REFUSALS.includes(kind)) return kind
    throw error
  }
}

const REFUSALS = ['rights', 'missing', 'statement', 'data']

function explaining(connection: Connection): Connection {
  return {
    query: (statement, values) => connection.query(`explain ${statement}`, values),
    get isOpen() {
      return connection.isOpen
    },
    longestStatement: connection.longestStatement,
    close: () => connection.close(),
    cancel: () => connection.cancel(),
  }
}

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
  .superRefine(({ url, schema }, context) => {
    if (schema !== undefined && !/^postgres/i.test(url))
      context.addIssue({
        code: 'custom',
        path: ['schema'],
        message: 'Is for PostgreSQL only: the url names the database.',
      })
  })
/** The column of the amount, of records that have one. */
const AMOUNTS: Readonly<Partial<Record<BookingName, string>>> = {
  bookSale: 'total',
  bookInvoice: 'amount',
  bookSettlement: 'grand_total',
  bookGiftCard: 'amount',
  bookTerminal: 'amount',
}

interface TallyTools {
  dialect: Dialect
  transaction: Transaction
  outcomes: Outcomes
  records: readonly TakenRecord[]
  nameOf(table: string): string
}

/** Counts what was written, by the key of each row; no table is made, and none is changed. A table that is gone is no answer. */
export function createTally({ dialect, transaction, outcomes, records, nameOf }: TallyTools): TallyRecords {
  const tables = new Map(records.map(({ method, tables: [head] }) => [method, nameOf(head?.name ?? '')]))

  async function rowsOf(method: BookingName, keys: readonly string[], signal: AbortSignal) {
    const name = tables.get(method)
    if (name === undefined) return null
    const column = AMOUNTS[method]
    const table = { name, amount: column === undefined ? null : { column, currency: 'currency' } }
    return await transaction(signal, async (connection) =>
      dialect.tally(connection, table, keys, await dialect.schema(connection)),
    )
  }

  return {
    async tally(given, { signal }) {
      const answers = new Map<GivenRecord, Tallied>()
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
    },
  }
}

/** A record that is written once more has the key of the first time. */
function keyOf({ keys: [first] }: GivenRecord): string {
  return bookingKey(first)
}

const NOT_TAKEN: Tallied = { is: 'unknown', why: 'config does not write it there any more' }

function talliedOf(row: TalliedRow | undefined): Tallied {
  return row === undefined ? { is: 'lacking' } : { is: 'there', count: row.count, amount: amountOf(row) }
}

function amountOf({ amount, currency }: TalliedRow): Money | null {
  const code = currency?.trim().toUpperCase() ?? ''
  if (amount === null || !/^[A-Z]{3}$/.test(code) || !/^-?\d{1,30}(\.\d{1,30})?$/.test(amount)) return null
  return { amount: parseDecimal(amount), currency: code }
}

export default defineAdapter({
  name: 'sql',
  options: SqlOptions,
  create({ url, schema, tablePrefix, createTables: create, customers, only }, { destination, concurrency, timeout }) {
    const address = readSqlUrl(url)
    const isPostgres = address.dialect === 'postgres'
    const dialect = isPostgres ? postgresDialect(schema) : mysqlDialect
    const connect = isPostgres ? postgresConnect(address, timeout) : mysqlConnect(address, timeout)
    const pool = createPool(connect, concurrency)
    const transaction = createTransaction(pool, dialect)
    const outcomes = createOutcomes(destination, address)
    const what = `${destination}: ${address.server}`

    const all: Named[] = []
    const books = new Map<BookingName, Book>()
    const records = recordsTaken(only, customers)
    const nameOf = (table: string) => `${tablePrefix}${table}`
    for (const record of records) {
      const named: Named[] = record.tables.map((table) => ({ ...table, name: nameOf(table.name) }))
      all.push(...named)
      const tables = createTableCheck(named, { dialect, transaction, outcomes, what, create })
      books.set(record.method, createBook(record, { destination, dialect, transaction, outcomes, named, tables }))
    }
    const methods = [...books].map(([name, book]) => [name, (batch: Batch<unknown>) => book.write(batch)])

    return {
      gathers: true,
      // A record is written by its key: written again it is the same row.
      inDoubtFor: 0,
      ports: {
        backOffice: {
          ...(Object.fromEntries(methods) as BackOfficePort),
          ...createTally({ dialect, transaction, outcomes, records, nameOf }),
          find: async (attempt, { method }) => (await books.get(method as BookingName)?.find(attempt)) ?? null,
        },
      },
      examine: ({ signal }) => examineDatabase(all, { dialect, transaction, outcomes, create, signal }),
      [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
    }
  },
})
