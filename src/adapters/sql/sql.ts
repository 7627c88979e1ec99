import { isIP } from 'node:net'
import { z } from 'zod'
import type { BookingName } from '../../domain/books/bookings.ts'
import type { Tallied } from '../../domain/ledger/destination/tallied.ts'
import { type Money, parseDecimal } from '../../domain/values/money.ts'
import { checkedText } from '../../lib/checked-text.ts'
import { isDecodable } from '../../lib/http/decodable.ts'
import { isLinkLocal } from '../../lib/http/http-addresses.ts'
import { secret } from '../../lib/secret.ts'
import type { Batch } from '../../ports/attempt.ts'
import type { BackOfficePort } from '../../ports/back-office.ts'
import type { GivenRecord, TallyRecords, Twins } from '../../ports/tally.ts'
import { defineAdapter } from '../adapter.ts'
import { DIALECTS, hostOf, readSqlUrl, TLS } from './address.ts'
import { bookingKey } from './booking-key.ts'
import type { Dialect, Named, TalliedRow } from './dialect.ts'
import { examineDatabase } from './examine.ts'
import { mysqlConnect } from './mysql/connection.ts'
import { mysqlDialect } from './mysql/mysql.ts'
import { createOutcomes, type Outcomes } from './outcome.ts'
import { createPool } from './pool.ts'
import { postgresConnect } from './postgres/connection.ts'
import { postgresDialect } from './postgres/postgres.ts'
import { createTableCheck } from './ready.ts'
import { FACTS } from './tables/facts.ts'
import { RECORD_NAMES, recordsTaken, type TakenRecord } from './tables/records.ts'
import { createTransaction, type Transaction } from './transaction.ts'
import { type Book, createBook } from './write.ts'

const NOT_TAKEN: Tallied = { is: 'unknown', why: 'config does not write it there any more' }

/** Options that an operator writes under a destination with `adapter: sql`. */
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

/** Writes what the stores did into tables of PostgreSQL, MariaDB or MySQL, for reports. */
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

/** The fault of a `url`; null: it has none. Never says what stands in it. */
function sqlUrlFault(text: string): string | null {
  const url = URL.parse(text)
  if (!url || !DIALECTS[url.protocol] || !url.hostname)
    return 'Must be an address such as postgres://user:password@host:5432/database (or mysql://, mariadb://).'
  if (!url.username) return 'Must name a user.'
  if (!isDecodable(url.username + url.password + url.pathname))
    return 'Must have a % in its user, password and database written as %25.'
  if (!/^\/[^/]+$/.test(url.pathname)) return 'Must name a database after the port, and nothing after it.'
  if (url.hash) return 'Must have no # (in a password, write %23).'
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'sslmode')
  if (unknown !== undefined) return 'Must have no parameter but sslmode.'
  const mode = url.searchParams.get('sslmode')
  if (mode !== null && !Object.hasOwn(TLS, mode)) return `Must have an sslmode of ${Object.keys(TLS).join(', ')}.`
  // The driver would look for another name in the certificate.
  if (DIALECTS[url.protocol]?.dialect === 'mysql' && TLS[mode ?? ''] === 'checked' && isIP(hostOf(url)) !== 0)
    return 'Must name the server by its name, not by an IP address, for its certificate to be checked.'
  return isLinkLocal(url.hostname) ? 'Must not be a link-local address.' : null
}

interface Tools {
  dialect: Dialect
  transaction: Transaction
  outcomes: Outcomes
  /** Records that are taken. */
  records: readonly TakenRecord[]
  /** The name that the database has for a table. */
  nameOf(table: string): string
}

/** Counts what was written, by the key of each row; no table is made, and none is changed. A table that is gone is no answer. */
function createTally({ dialect, transaction, outcomes, records, nameOf }: Tools): Required<TallyRecords> {
  const tables = new Map(records.map(({ method, tables: [head] }) => [method, nameOf(head?.name ?? '')]))

  async function rowsOf(method: BookingName, keys: readonly string[], signal: AbortSignal) {
    const name = tables.get(method)
    if (name === undefined) return null
    const table = { name, amount: FACTS[method].amount }
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

    async twins(since, most, { signal }) {
      const found: Twins[] = []
      try {
        for (const [method, name] of tables) {
          const fact = FACTS[method].by
          const left = most - found.length
          if (fact === null || left <= 0) continue
          const rows = await transaction(signal, async (connection) => {
            const schema = await dialect.schema(connection)
            // A table is made with the first record of its kind.
            const catalog = await dialect.catalog(connection, [{ name, hasLines: false, columns: [] }], schema)
            if (!catalog.has(name)) return []
            return await dialect.twins(connection, { name, fact }, since, left, schema)
          })
          found.push(...rows.map((row) => ({ method, ...row })))
        }
      } catch (error) {
        throw outcomes.ofLooking(error)
      }
      return found
    },
  }
}

/** A record that is written once more has the key of the first time. */
function keyOf({ keys: [first] }: GivenRecord): string {
  return bookingKey(first)
}

function talliedOf(row: TalliedRow | undefined): Tallied {
  return row === undefined ? { is: 'lacking' } : { is: 'there', count: row.count, amount: amountOf(row) }
}

/** The amount of a row; null: it has none, or none that can be read. */
function amountOf({ amount, currency }: TalliedRow): Money | null {
  const code = currency?.trim().toUpperCase() ?? ''
  if (amount === null || !/^[A-Z]{3}$/.test(code) || !/^-?\d{1,30}(\.\d{1,30})?$/.test(amount)) return null
  return { amount: parseDecimal(amount), currency: code }
}
