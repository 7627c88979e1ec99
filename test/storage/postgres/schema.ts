import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { readAddress } from '../../../src/storage/postgres/server/address.ts'
import type { Session } from '../../../src/storage/postgres/server/database.ts'
import { migrateSchema } from '../../../src/storage/postgres/server/migrate.ts'

/** The server that tests may use: each takes a schema of its own there, and drops it. */
export const SERVER = process.env.DATABASE_URL || undefined

export const NO_SERVER = 'DATABASE_URL names no PostgreSQL server'

export async function temporarySchema(): Promise<AsyncDisposable & { url: string; name: string }> {
  if (SERVER === undefined) throw new Error(NO_SERVER)
  const name = `tillbridge_test_${randomUUID().slice(0, 8)}`
  const url = new URL(SERVER)
  url.searchParams.set('schema', name)
  return {
    url: url.toString(),
    name,
    [Symbol.asyncDispose]: () => asOwner(`drop schema if exists ${name} cascade`),
  }
}

export async function migratedSchema() {
  const schema = await temporarySchema()
  await migrateSchema(readAddress(schema.url))
  return schema
}

/** Runs statements as an operator would, on a connection of their own. */
export async function asOwner(statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: SERVER })
  await client.connect()
  try {
    await client.query(`set client_min_messages = warning; ${statements}`)
  } finally {
    await client.end()
  }
}

/** Every row of every table of a schema, and which transaction wrote it. */
export async function rowsOf(schema: string): Promise<string> {
  const client = new pg.Client({ connectionString: SERVER })
  await client.connect()
  try {
    const tables = await client.query('select tablename from pg_tables where schemaname = $1 order by 1', [schema])
    const texts = []
    for (const { tablename } of tables.rows) {
      const { rows } = await client.query(`select xmin::text, t::text from ${schema}.${tablename} t order by 2`)
      texts.push(JSON.stringify({ tablename, rows }))
    }
    return texts.join('\n')
  } finally {
    await client.end()
  }
}

/** A connection of its own, on which a test asks about a schema. */
export async function connect(schema: string) {
  const client = new pg.Client({ connectionString: SERVER, options: `-c search_path=${schema}` })
  await client.connect()
  const session: Session = {
    query: async ({ text }, values = []) => (await client.query(text, [...values])).rows,
  }
  return {
    session,
    ask: async (sql: string) => (await client.query<Record<string, unknown>>(sql)).rows,
    [Symbol.asyncDispose]: () => client.end(),
  }
}
