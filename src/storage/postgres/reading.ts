import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { Pool } from 'pg'
import { StorageUnavailableError, UserError } from '../../domain/values/errors.ts'
import type { Db, Dialect, Query } from '../read-models/dialect.ts'
import { createReadModels, type ReadModels } from '../read-models/read-models.ts'
import { type Answer, createReading } from '../read-models/reading.ts'
import { textOf } from '../tables/statement.ts'
import { shared as tables } from './schema.ts'
import { type Address, readAddress, transactionSettings } from './server/address.ts'
import { missingMigrations } from './server/migrate.ts'
import { askOn, createConnections, lend } from './server/pool.ts'
import { asStorageError } from './server/unavailable.ts'

/** One read-only transaction, REPEATABLE READ. */
type Snapshot = <T>(work: (db: Pick<PgDatabase<PgQueryResultHKT>, 'select'>, query: Query) => Promise<T>) => Promise<T>

export function createPostgresReading(snapshot: Snapshot) {
  return createReading(ask)

  function ask<M extends keyof ReadModels>(method: M, ...args: Parameters<ReadModels[M]>): Promise<Answer<M>> {
    return snapshot(async (db, query) => {
      const models = createReadModels(db as unknown as Db, postgresDialect, query)
      const call = models[method] as (...args: unknown[]) => Promise<Answer<M>>
      try {
        return await call(...args.map(asKept))
      } catch (error) {
        throw error instanceof Error && error.cause instanceof Error ? error.cause : error
      }
    })
  }
}

/** The server refuses to compare with what no column can hold. */
function asKept(asked: unknown): unknown {
  if (typeof asked === 'number') return Math.min(Math.max(asked, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
  if (Array.isArray(asked)) return asked.map(asKept)
  if (typeof asked !== 'object' || asked === null) return textOf(asked)
  if (asked instanceof Uint8Array) return asked
  return Object.fromEntries(Object.entries(asked).map(([key, value]) => [key, asKept(value)]))
}

/**
 * drizzle's own `transaction` leaks a connection when `begin` fails, and a break between statements ends the process.
 */
export function createSnapshots(pool: Pool, address: Address): Snapshot {
  const { pooled, server } = address
  return async (work) => {
    try {
      return await lend(
        pool,
        async (client) => {
          await client.query('begin isolation level repeatable read, read only')
          if (pooled) await client.query(transactionSettings(address))
          const result = await work(drizzle(client), (asked, values) => askOn(client, asked, values, true))
          await client.query('commit')
          return result
        },
        () => false,
      )
    } catch (error) {
      throw asStorageError(error, server)
    }
  }
}

export const postgresDialect: Dialect = {
  tables,
  isOfOrder: (entity) => sql`${entity} like 'order:%'`,
  isTrue: (column) => sql`${column}`,
  // No range: `<` depends on the collation, `like` indexes do not.
  startsWith: (text, beginning) => sql`${text} like ${`${escaped(beginning)}%`}`,
  isAtOrBelow: (text, path) => sql`(${text} = ${path} or ${text} like ${`${escaped(path)}/%`})`,
  rangesAfter: (day, id, row) => [sql`(${day}, ${id}) > (${row.day}, ${row.id})`],
  // Ranges of blocks; a row's place changes with each write.
  people: {
    row: () => sql`ctid::text`,
    stretch: (table, after) => ({
      isIn: sql`ctid >= ${`(${after},0)`}::tid and ctid < ${`(${after + BLOCKS},0)`}::tid`,
      next: sql`(case when pg_relation_size(${table}::regclass) / current_setting('block_size')::int > ${after + BLOCKS}::bigint
        then ${after + BLOCKS}::bigint end)`,
    }),
    // `offset` computes it once per row. Collation "C" lowers ASCII only.
    said: (columns) =>
      sql`(select lower(concat_ws(chr(10), ${sql.join([...columns], sql`, `)}) collate "C") as said offset 0)`,
    hasText: (said, text) => sql`strpos(${said}, ${text}) > 0`,
  },
}

/** Blocks per statement, few because of long texts and the statement timeout. */
const BLOCKS = 200

function escaped(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}

/** Few: hubs need theirs. */
const CONNECTIONS = 2

/** Reads a schema that hubs work on; `missing` migrations, null: no schema. UserError where the server cannot be used. */
export async function openPostgresReading(url: string) {
  const address = readAddress(url)
  const { schema, server } = address
  await using opened = new AsyncDisposableStack()
  const pool = createConnections(address, CONNECTIONS)
  opened.defer(() => pool.end())
  const counting = lend(
    pool,
    (client) => missingMigrations(client, schema),
    () => false,
  )
  const missing = await counting.catch((error: unknown) => {
    const plain = asStorageError(error, server)
    throw plain instanceof StorageUnavailableError ? new UserError(plain.message, { cause: error }) : plain
  })
  const reading = createPostgresReading(createSnapshots(pool, address))
  const open = opened.move()
  return {
    where: `schema ${schema} at ${server}`,
    missing,
    ...reading,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
