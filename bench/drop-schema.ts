import pg from 'pg'
import { readAddress } from '../src/storage/postgres/server/address.ts'

/** Drops the schema that BENCH_STORE names: schemas.ts runs it when a measurement has ended, however it ended. */
const { connectionString, schema } = readAddress(process.env.BENCH_STORE ?? '')
if (!schema.startsWith('tillbridge_bench_')) throw new Error(`${schema} is no schema of the bench.`)
const client = new pg.Client({ connectionString, options: '-c client_min_messages=warning' })
await client.connect()
try {
  // Statements of a hub that was killed go on to their end: it waits for them.
  await client.query(`drop schema if exists ${schema} cascade`)
} finally {
  await client.end()
}
