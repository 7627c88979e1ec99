import { drizzle } from 'drizzle-orm/node-postgres'
import type { Pool } from 'pg'
import type { Snapshot } from '../reading.ts'
import { lend } from './connections.ts'
import { asStoreError } from './unavailable.ts'

/**
 * Snapshots on connections of a pool. (drizzle's own `transaction` keeps a connection for ever when its `begin` fails, and
 * lets one that breaks between two statements end the process.) `server`: host and database, for people.
 */
export function createSnapshots(pool: Pool, server: string): Snapshot {
  return async (work) => {
    try {
      return await lend(
        pool,
        async (client) => {
          await client.query('begin isolation level repeatable read, read only')
          const result = await work(drizzle(client))
          await client.query('commit')
          return result
        },
        // Reads seldom fail; a connection on which one did is not trusted further.
        () => false,
      )
    } catch (error) {
      throw asStoreError(error, server)
    }
  }
}
