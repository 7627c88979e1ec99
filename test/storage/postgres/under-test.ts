import { readdirSync, readFileSync } from 'node:fs'
import type { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { createPostgresReading, createSnapshots } from '../../../src/storage/postgres/reading.ts'
import { readAddress } from '../../../src/storage/postgres/server/address.ts'
import { type Database, RepeatError, type Session } from '../../../src/storage/postgres/server/database.ts'
import { MIGRATIONS } from '../../../src/storage/postgres/server/migrate.ts'
import { createConnections, createPool } from '../../../src/storage/postgres/server/pool.ts'
import { createPostgresStorage, type Parts } from '../../../src/storage/postgres/storage.ts'
import { DAY } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import type { OpenOptions, StoreUnderTest } from '../under-test.ts'
import { asOne } from './as-one.ts'
import { migratedSchema, SERVER } from './schema.ts'

/** The way to a schema: the server's own address, or that of a pooler. */
type Through = (url: string) => string

/** A place for stores: an own schema on a server, or a server in the process. It is used again when it is empty. */
interface Place extends AsyncDisposable {
  connect(): Pick<Parts, 'db' | 'reading'>
  exec(sql: string): Promise<void>
}

/** A server in the process takes its time to start, and more of them at once would only share the processor. */
const MAX_PLACES = SERVER === undefined ? 2 : 5

/** Time stands still but for `pass`. */
const CLOCK = `
  create table test_clock (now bigint not null);
  insert into test_clock values (0);
  create or replace function now_ms() returns bigint language sql stable as 'select now from test_clock';
  create or replace function empty_all() returns void language plpgsql as $$
    declare name text;
    begin
      for name in select tablename from pg_tables where schemaname = current_schema()
          and tablename not in ('test_clock', 'customer_count', 'search_index', 'partitions', '__drizzle_migrations') loop
        execute format('delete from %I', name);
      end loop;
      update customer_count set n = 0;
      update search_index set up_to = 0;
      for name in select sequencename from pg_sequences where schemaname = current_schema() loop
        perform setval(name::regclass, 1, false);
      end loop;
    end $$`

async function placeOnServer(through: Through): Promise<Place> {
  const schema = await migratedSchema()
  const address = readAddress(through(schema.url))
  const client = new pg.Client({ connectionString: SERVER, options: `-c search_path=${schema.name}` })
  await client.connect()
  await client.query(CLOCK)
  return {
    connect() {
      const pool = createConnections(address, 3)
      const reading = createPostgresReading(createSnapshots(pool, address))
      return { db: createPool(pool, address), reading }
    },
    exec: async (sql) => void (await client.query(sql)),
    async [Symbol.asyncDispose]() {
      await client.end()
      await schema[Symbol.asyncDispose]()
    },
  }
}

async function placeInProcess(): Promise<Place> {
  const { PGlite } = await import('@electric-sql/pglite')
  const { drizzle } = await import('drizzle-orm/pglite')
  const lite = await PGlite.create()
  for (const file of readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .sort())
    await lite.exec(readFileSync(`${MIGRATIONS}/${file}`, 'utf8'))
  await lite.exec(CLOCK)
  return {
    connect: () => ({
      db: inProcess(lite),
      reading: createPostgresReading((work) =>
        lite.transaction((tx) => work(drizzle(tx as unknown as PGlite), on(tx as unknown as PGlite).query)),
      ),
    }),
    exec: async (sql) => void (await lite.exec(sql)),
    [Symbol.asyncDispose]: () => lite.close(),
  }
}

function on(one: Pick<PGlite, 'query'>): Session {
  return { query: async ({ text }, values = []) => (await one.query(text, [...values])).rows as never[] }
}

/** PGlite as the store's database: one connection, so nothing ever stands in the way of anything. */
function inProcess(lite: PGlite): Database {
  return {
    ...on(lite),
    async transaction(work) {
      for (;;)
        try {
          return await lite.transaction((tx) => work(on(tx as unknown as PGlite)))
        } catch (error) {
          if (!(error instanceof RepeatError)) throw error
        }
    },
    listen(channel, heard) {
      const stop = lite.listen(channel, heard)
      return { [Symbol.asyncDispose]: async () => await (await stop)() }
    },
    async vacuum(tables) {
      for (const table of tables) await lite.exec(`vacuum ${table}`)
      return []
    },
    // The next store is on it, too.
    async [Symbol.asyncDispose]() {},
  }
}

/** Gives each test a place that no other has at the time, with so many hubs on it. */
export function createPlaces(
  through: Through = (url) => url,
  hubs = 1,
): AsyncDisposable & { open(options: OpenOptions): Promise<StoreUnderTest> } {
  const all: Promise<Place>[] = []
  const free: Place[] = []
  const waiting: ((place: Place) => void)[] = []

  async function take(): Promise<Place> {
    const place = free.pop() ?? (await nextFree())
    await place.exec('select empty_all()')
    return place
  }

  /** Whichever is first: while others work, a server in the process may not get to its end of starting for long. */
  function nextFree(): Promise<Place> {
    const { promise, resolve, reject } = Promise.withResolvers<Place>()
    waiting.push(resolve)
    if (all.length < MAX_PLACES) {
      const making = SERVER === undefined ? placeInProcess() : placeOnServer(through)
      all.push(making)
      making.then(giveBack, reject)
    }
    return promise
  }

  function giveBack(place: Place) {
    const next = waiting.shift()
    if (next) next(place)
    else free.push(place)
  }

  return {
    async open({ sameBytesWindow = DAY, window }) {
      const place = await take()
      let now = Date.parse('2026-11-20T14:00:00Z')
      const setClock = () => place.exec(`update test_clock set now = ${now}`)
      await setClock()
      const openHub = () =>
        createPostgresStorage({
          ...place.connect(),
          migrate: async () => {},
          channel: 'hubs',
          sameBytesWindow,
          lookEvery: 0,
          clock: () => now,
          ...(window && { window }),
        })
      const open = async () => asOne(await Promise.all(Array.from({ length: hubs }, openHub)))
      const the: StoreUnderTest = {
        storage: await open(),
        ...createArrivals({ now: () => now }),
        clock: {
          now: () => now,
          async pass(ms) {
            now += ms
            await setClock()
          },
        },
        async reopen() {
          await the.storage[Symbol.asyncDispose]()
          the.storage = await open()
          return the.storage
        },
        async [Symbol.asyncDispose]() {
          await the.storage[Symbol.asyncDispose]()
          giveBack(place)
        },
      }
      return the
    },
    async [Symbol.asyncDispose]() {
      for (const place of all) await (await place)[Symbol.asyncDispose]()
    },
  }
}
