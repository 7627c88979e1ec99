import { drizzle } from 'drizzle-orm/node-postgres'
import type { Pool } from 'pg'
import type { Snapshot } from '../reading.ts'
import type { Address } from './address.ts'
import { lend } from './connections.ts'
import { transactionSettings } from './settings.ts'
import { asStoreError } from './unavailable.ts'

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
          const result = await work(drizzle(client))
          await client.query('commit')
          return result
        },
        () => false,
      )
    } catch (error) {
      throw asStoreError(error, server)
    }
  }
}
