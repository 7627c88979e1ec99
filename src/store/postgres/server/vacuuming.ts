import type pg from 'pg'
import type { Address } from './address.ts'
import type { Database } from './database.ts'
import { patientSettings } from './settings.ts'

/** How long one waits for a table that others hold (milliseconds). */
const LOCK = 10_000

/**
 * Vacuums on a connection of its own: a large table takes longer than the hub's statements may. Behind a pooler the server's own limits
 * hold, since VACUUM stands in no transaction that could set others, and what a session sets there may be the next one's.
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
