import pg from 'pg'
import { expect, test } from 'vitest'
import { openPostgresStorage } from '../../../src/storage/postgres/storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { claim, DAY, DELIVERED, settle } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { migratedSchema, NO_SERVER, SERVER } from './schema.ts'

const TOGETHER = 250

test.skipIf(SERVER === undefined)(
  `When somebody reads in the same database while thousands of deliveries are made, then a claim goes on looking at about as much of the store as before (${NO_SERVER} otherwise)`,
  async () => {
    await using schema = await migratedSchema()
    const open = () => openPostgresStorage({ url: schema.url, sameBytesWindow: DAY, connections: 3 })
    const asked = new pg.Client({ connectionString: SERVER, options: `-c search_path=${schema.name}` })
    await asked.connect()
    await using _ = { [Symbol.asyncDispose]: () => asked.end() }

    /** Entries of indexes that are read for each delivery, by a hub that makes so many. */
    async function readFor(count: number): Promise<number> {
      const before = await entriesRead()
      {
        await using hub = await open()
        await make(hub, count)
      }
      return ((await entriesRead()) - before) / count
    }
    async function entriesRead(): Promise<number> {
      await asked.query('select pg_stat_clear_snapshot()')
      const { rows } = await asked.query(
        `select sum(idx_tup_read)::int as n from pg_stat_user_indexes where schemaname = $1 and relname = 'partitions'`,
        [schema.name],
      )
      return rows[0].n
    }

    await readFor(500)
    const alone = await readFor(1_000)
    const reader = new pg.Client({ connectionString: SERVER })
    await reader.connect()
    await using _reading = { [Symbol.asyncDispose]: () => reader.end() }
    await reader.query('begin isolation level repeatable read, read only')
    await reader.query('select count(*) from pg_class')
    await readFor(3_000)
    const beside = await readFor(1_000)
    // What was claimed within the last seconds is passed all the same.
    expect(beside / alone).toBeLessThan(10)
  },
)

/** Takes events, and delivers what they owe, some at a time. */
async function make(storage: Storage, count: number): Promise<void> {
  const { about } = createArrivals(storage)
  for (let made = 0; made < count; made += TOGETHER)
    await storage.accept(Array.from({ length: TOGETHER }, (_, n) => about(`e${made + n}`)))
  for (let made = 0; made < count; ) {
    const claims = await claim(storage, undefined, { calls: 10 })
    await settle(storage, claims, DELIVERED, storage.now())
    made += claims.length
  }
}
