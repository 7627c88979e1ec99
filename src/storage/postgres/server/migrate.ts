import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { UserError } from '../../../domain/values/errors.ts'
import { shared } from '../schema.ts'
import { type Address, sessionSettings, transactionSettings } from './address.ts'
import { type Database, prepared } from './database.ts'
import { connectionOptions } from './pool.ts'
import { asStorageError } from './unavailable.ts'

export const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url))
const LOCK = 7_455_129

export async function migrateSchema(address: Address): Promise<void> {
  const { schema, pooled, server } = address
  const client = new pg.Client({
    ...connectionOptions(address),
    query_timeout: 0,
    ...(!pooled && { options: sessionSettings(address, true) }),
  })
  client.on('error', () => {})
  try {
    await client.connect()
    if (pooled) {
      // drizzle's own `begin` finds this transaction begun.
      await client.query('begin')
      await client.query(transactionSettings(address, true))
      await client.query('select pg_advisory_xact_lock($1)', [LOCK])
    } else await client.query('select pg_advisory_lock($1)', [LOCK])
    await client.query(`create schema if not exists ${schema}`)
    const db = drizzle(client)
    await refuseNewer(client, address)
    await migrate(db, { migrationsFolder: MIGRATIONS, migrationsSchema: schema })
    if (pooled) await client.query('commit')
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw asStorageError(cause, server)
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function refuseNewer(client: pg.Client, { schema, server }: Address): Promise<void> {
  const { rows } = await client.query('select to_regclass($1) is not null as there', [`${schema}.__drizzle_migrations`])
  if (!rows[0].there) return
  const applied = await client.query(`select count(*)::int as n from __drizzle_migrations`)
  if (applied.rows[0].n > migrationCount())
    throw new UserError(
      `The schema ${schema} at ${server} was written by a newer Tillbridge. Run that version, or restore a copy from before its upgrade.`,
    )
}

function migrationCount(): number {
  const journal = JSON.parse(readFileSync(`${MIGRATIONS}/meta/_journal.json`, 'utf8')) as { entries: unknown[] }
  return journal.entries.length
}

const LAST = [
  ['event_ids', 'max(id) from events'],
  ['fences', 'max(fence) from jobs'],
  ...Object.values(shared).flatMap((table) => {
    const { name, columns } = getTableConfig(table as unknown as PgTable)
    return columns.some((column) => column.getSQLType() === 'bigserial')
      ? [[`${name}_id_seq`, `max(id) from ${name}`]]
      : []
  }),
]

export const SET_SEQUENCES = LAST.map(
  ([sequence, last]) => `
    select setval('${sequence}', last) from (select ${last}) as r (last)
      where last > coalesce(pg_sequence_last_value('${sequence}'::regclass), 0)`,
)

const statements = SET_SEQUENCES.map((text) => prepared(text))

/** Logical replication brings rows without sequences: new events would get lower ids. */
export async function letSequencesGoOn(db: Database): Promise<void> {
  for (const statement of statements) await db.query(statement)
}
