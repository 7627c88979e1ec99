import type { BookingName } from '../../domain/books/bookings.ts'
import type { Batch } from '../../ports/attempt.ts'
import type { BackOfficePort } from '../../ports/back-office.ts'
import { defineAdapter } from '../adapter.ts'
import { readSqlUrl } from './address.ts'
import type { Named } from './dialect.ts'
import { examineDatabase } from './examine.ts'
import { mysqlConnect } from './mysql/connection.ts'
import { mysqlDialect } from './mysql/mysql.ts'
import { SqlOptions } from './options.ts'
import { createOutcomes } from './outcome.ts'
import { createPool } from './pool.ts'
import { postgresConnect } from './postgres/connection.ts'
import { postgresDialect } from './postgres/postgres.ts'
import { createTableCheck } from './ready.ts'
import { recordsTaken } from './tables/records.ts'
import { createTally } from './tally.ts'
import { createTransaction } from './transaction.ts'
import { type Book, createBook } from './write.ts'

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
