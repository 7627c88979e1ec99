import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { openPostgresStorage } from '../../src/storage/postgres/storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { DAY } from './acting.ts'
import { createArrivals } from './arrivals.ts'
import { migratedSchema, NO_SERVER, SERVER } from './postgres/schema.ts'
import { openFile, temporaryFolder } from './sqlite/file.ts'

/* Search keys of 65,536 events lie in one volume. Events are given ids that would take a day to come to. */

interface Place extends AsyncDisposable {
  open(): Promise<Storage>
  /** Runs statements beside the store; the rows of the last one. */
  run(statements: string): Promise<Record<string, unknown>[]>
}

async function inFile(): Promise<Place> {
  const folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  return {
    open: () => openFile(path),
    async run(statements) {
      using db = Object.assign(new Database(path), { [Symbol.dispose]: () => db.close() })
      const all = statements.split(';')
      for (const one of all.slice(0, -1)) db.exec(one)
      const last = db.prepare<[], Record<string, unknown>>(all.at(-1) ?? '')
      if (last.reader) return last.all()
      last.run()
      return []
    },
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  }
}

async function onServer(): Promise<Place> {
  const schema = await migratedSchema()
  const client = new pg.Client({ connectionString: SERVER, options: `-c search_path=${schema.name}` })
  await client.connect()
  return {
    open: () => openPostgresStorage({ url: schema.url, sameBytesWindow: DAY, connections: 1 }),
    async run(statements) {
      const results = [(await client.query(statements)) as pg.QueryResult | pg.QueryResult[]].flat()
      return results.at(-1)?.rows ?? []
    },
    async [Symbol.asyncDispose]() {
      await client.end()
      await schema[Symbol.asyncDispose]()
    },
  }
}

const COMMON = { sort: 'email', value: 'kari@example.com' } as const
const LATE = { sort: 'phone', value: '+4741239876' } as const
const receipt = (nth: number) => ({ sort: 'receipt', value: `R-${nth}` }) as const

/** The first event that is in no whole volume. */
const APART = 65_536

/** With events 1, 5,000 and 70,000. */
async function openIndexed(place: Place): Promise<Storage> {
  const old = await place.open()
  const { arrival } = createArrivals(old)
  await old.accept([1, 2, 3].map((nth) => arrival({ deliveries: [], payload: { nth } })))
  await old[Symbol.asyncDispose]()
  await place.run('update events set id = 5000 where id = 2; update events set id = 70000 where id = 3')
  const storage = await place.open()
  const many = Array.from({ length: 300 }, (_, nth) => ({ ...receipt(nth), event: nth % 2 === 0 ? 1 : 5_000 }))
  await storage.indexKeys(APART + 8_192, [...many, ...[1, 5_000, 70_000].map((event) => ({ ...COMMON, event }))])
  return storage
}

async function found(storage: Storage, key: Parameters<Storage['find']>[0][number], limit = 10): Promise<number[]> {
  return (await storage.find([key], limit)).map(({ event }) => event.id)
}

async function dropAll(storage: Storage, upTo: number): Promise<number> {
  let all = 0
  for (let after: number | null = 0; after !== null; ) {
    const { dropped, after: next } = await storage.dropSearchKeys(after, upTo, 50)
    all += dropped
    after = next
  }
  return all
}

const PLACES = [
  { name: 'a file', skipped: false, make: inFile },
  { name: `a server${SERVER === undefined ? ` (${NO_SERVER})` : ''}`, skipped: SERVER === undefined, make: onServer },
]

for (const { name, skipped, make } of PLACES)
  describe.skipIf(skipped)(`volumes of search keys in ${name}`, () => {
    test('keys that come later, or once more, join what is there', async () => {
      await using place = await make()
      await using storage = await openIndexed(place)
      for (let times = 0; times < 2; times++)
        await storage.indexKeys(
          1,
          [LATE, COMMON].map((key) => ({ ...key, event: 5_000 })),
        )
      expect(await found(storage, LATE)).toEqual([5_000])
      expect(await found(storage, COMMON)).toEqual([70_000, 5_000, 1])
    })

    test('When events of a volume are gone, then their keys go, once all of it has had its time; those of others stay', async () => {
      await using place = await make()
      await using storage = await openIndexed(place)
      const count = async () =>
        Number((await place.run('select count(*) as n from search_blocks where place < 4096'))[0]?.n)
      const before = await count()
      expect(await dropAll(storage, 80_000), 'all are here').toBe(0)
      await place.run('delete from events where id = 1')
      expect(await dropAll(storage, APART - 2), 'the last has not had its time').toBe(0)
      expect(await count()).toBe(before)
      expect(await dropAll(storage, APART - 1)).toBeGreaterThan(100)
      const between = await count()
      expect(between).toBeLessThan(before)
      for (const nth of [1, 7, 299]) expect(await found(storage, receipt(nth))).toEqual([5_000])
      expect(await found(storage, COMMON)).toEqual([70_000, 5_000])
      expect(await dropAll(storage, APART - 1), 'again').toBe(0)

      await place.run('delete from events where id = 5000')
      expect(await dropAll(storage, APART - 1)).toBe(between)
      expect(await count()).toBe(0)
      expect(await found(storage, COMMON)).toEqual([70_000])
    })
  })
