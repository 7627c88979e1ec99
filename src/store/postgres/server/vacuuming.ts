import type pg from 'pg'
import type { Address } from './address.ts'
import type { Database } from './database.ts'
import { patientSettings } from './settings.ts'

/** Waiting for a table (ms). */
const LOCK = 10_000

/**
 * On a connection of its own without limits, as large tables take long. Behind a pooler the server's limits hold:
 * VACUUM cannot be in a transaction.
 */
export function createVacuuming(
  connect: (settings: pg.ClientConfig) => pg.Client,
  address: Address,
): Database['vacuum'] {
  const { schema, pooled } = address
  const options = `${patientSettings(address)} -c lock_timeout=${LOCK}`
  return async (tables) => {
    const client = connect({ query_timeout: 0, ...(!pooled && { options }) })
    client.on('error', () => {})
    const connected = client.connect()
    const failed: { table: string; error: unknown }[] = []
    for (const table of tables)
      await connected
        .then(() => client.query(`vacuum ${schema}.${table}`))
        .catch((error: unknown) => failed.push({ table, error }))
    await client.end().catch(() => undefined)
    return failed
  }
}
