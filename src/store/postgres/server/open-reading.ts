import type { Pool } from 'pg'
import { StoreUnavailableError, UserError } from '../../../domain/values/errors.ts'
import { createPostgresReading, createSnapshots } from '../reading.ts'
import { type Address, readAddress } from './address.ts'
import { migrationCount } from './migrate.ts'
import { createConnections } from './pool.ts'
import { asStoreError } from './unavailable.ts'

const CONNECTIONS = 2

/** Reads a schema that hubs work on; UserError where there is none of this version. */
export async function openPostgresReading(url: string) {
  const address = readAddress(url)
  const { schema, server } = address
  await using opened = new AsyncDisposableStack()
  const pool = createConnections(address, CONNECTIONS)
  opened.defer(() => pool.end())
  const applied = await migrationsIn(address, pool)
  if (applied === null) throw new UserError(`There is no schema ${schema} at ${server} to read yet (store.url).`)
  const missing = migrationCount() - applied
  if (missing > 0)
    throw new UserError(
      `The schema ${schema} at ${server} is of an older Tillbridge: start a hub once, which brings it up to date.`,
    )
  if (missing < 0)
    throw new UserError(
      `The schema ${schema} at ${server} was written by a newer Tillbridge: use the command of that version.`,
    )
  const open = opened.move()
  return {
    ...createPostgresReading(createSnapshots(pool, address)),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

async function migrationsIn(address: Address, pool: Pool): Promise<number | null> {
  const { schema, server } = address
  try {
    const { rows } = await pool.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
      `${schema}.__drizzle_migrations`,
    ])
    if (!rows[0]?.there) return null
    const counted = await pool.query<{ n: number }>(`select count(*)::int as n from ${schema}.__drizzle_migrations`)
    return counted.rows[0]?.n ?? 0
  } catch (error) {
    const plain = asStoreError(error, server)
    throw plain instanceof StoreUnavailableError ? new UserError(plain.message, { cause: error }) : plain
  }
}
