import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { createPostgresReading, createSnapshots } from '../../../src/storage/postgres/reading.ts'
import { readAddress } from '../../../src/storage/postgres/server/address.ts'
import { createConnections, createPool } from '../../../src/storage/postgres/server/pool.ts'
import { createScrubbing, openPostgresStorage } from '../../../src/storage/postgres/storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { eventually } from '../../eventually.ts'
import { claim, DAY, DELIVERED, settle } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { NO_POOLER, startOwnPooler } from './own-pooler.ts'
import { asOwner, migratedSchema, NO_SERVER, SERVER } from './schema.ts'

const TOGETHER = 250

describe.skipIf(SERVER === undefined)(`hubs beside others (${SERVER ? 'PostgreSQL' : NO_SERVER})`, () => {
  test('When VACUUM takes longer than a statement of the hub may, then it ends all the same, and nothing is left to do by hand', async () => {
    await using schema = await migratedSchema()
    await using own = openScrub(schema.url, 300)
    const [other, watcher] = [0, 1].map(() => new pg.Client({ connectionString: SERVER })) as [pg.Client, pg.Client]
    await Promise.all([other.connect(), watcher.connect()])
    try {
      // What VACUUM waits for is as good as a table that takes long.
      await other.query(`begin; lock table ${schema.name}.lookups in share update exclusive mode`)
      const ended = own.scrub(['zeb@example.com'], ['lookups', 'gaps'])
      await eventually(async () => {
        const { rows } = await watcher.query(
          `select 1 from pg_stat_activity where query like 'vacuum%${schema.name}.lookups'
             and wait_event_type = 'Lock' and clock_timestamp() - query_start > '1 s'`,
        )
        expect(rows).toHaveLength(1)
      })
      await other.query('commit')
      const { warnings } = await ended
      expect(warnings.filter((warning) => warning.includes('by hand.'))).toEqual([])
    } finally {
      await Promise.all([other.end(), watcher.end()])
    }
  })

  test('When a table takes longer to look through than one statement may, then the second pass ends, and finds what is there', async () => {
    await using schema = await migratedSchema()
    await asOwner(
      `set search_path = ${schema.name}; insert into lookups (at, number, found, missing, ms)
         select n, repeat(md5(n::text), 60) || case when n % 10000 = 0 then ' zeb@example.com' else '' end, '[]', '[]', 1
           from generate_series(1, 30000) as n;
       alter table lookups alter column number set storage plain; update lookups set number = number || ''`,
    )
    await using own = openScrub(schema.url, 500)
    const texts = ['zeb@example.com', ...Array.from({ length: 60 }, (_, n) => `zeb-${n}@example.com`)]
    expect(await own.scrub(texts, ['lookups'])).toMatchObject({ found: 3 })
  })

  test('When somebody reads in the same database while thousands of deliveries are made, then a claim goes on looking at about as much of the store as before', async () => {
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
  })
})

describe.skipIf(NO_POOLER !== null)(`hubs behind a pooler (${NO_POOLER ?? 'PgBouncer'})`, () => {
  test('When a pooler takes no more connections of the hub, then it does with those that it has', async () => {
    await using schema = await migratedSchema()
    await using pooler = await startOwnPooler(5)
    await using storage = await openPostgresStorage({
      url: pooler.through(schema.url),
      sameBytesWindow: DAY,
      connections: 10,
    })
    const { about } = createArrivals(storage)
    await storage.accept([about('a')])
    await storage.status()
    const asked = Array.from({ length: 20 }, (_, n) => [
      storage.accept([about(`b${n}`)]),
      storage.check(),
      storage.status(),
    ])
    const answers = await Promise.allSettled(asked.flat())
    expect(answers.filter(({ status }) => status === 'rejected')).toEqual([])
  })

  test('When a pooler stands before the server, then VACUUM reaches it', async () => {
    await using schema = await migratedSchema()
    await using pooler = await startOwnPooler()
    await using own = openScrub(pooler.through(schema.url))
    const { warnings } = await own.scrub(['zeb@example.com'], ['lookups'])
    expect(warnings.filter((warning) => warning.includes('could not be'))).toEqual([])
  })
})

/** Scrubs on a connection of its own; `timeout`: how long a statement of it may take (milliseconds). */
function openScrub(url: string, timeout: number | null = null) {
  const address = readAddress(url)
  const pool = createConnections(address, 1)
  if (timeout !== null) pool.on('connect', (client) => void client.query(`set statement_timeout = ${timeout}`))
  const db = createPool(pool, address)
  const scrub = createScrubbing(db, createPostgresReading(createSnapshots(pool, address)))
  return { scrub, [Symbol.asyncDispose]: () => db[Symbol.asyncDispose]() }
}

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
