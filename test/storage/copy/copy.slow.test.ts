import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { is } from 'drizzle-orm'
import { PgTable, getTableConfig as pgConfig } from 'drizzle-orm/pg-core'
import { SQLiteTable, getTableConfig as sqliteConfig } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UNKNOWN_CUSTOMER } from '../../../src/domain/customers/customer-record.ts'
import { COPIED_TABLES, type CopyStep } from '../../../src/storage/copy/copy.ts'
import * as target from '../../../src/storage/postgres/schema.ts'
import { openPostgresStorage } from '../../../src/storage/postgres/storage.ts'
import * as source from '../../../src/storage/sqlite/schema.ts'
import { writeEmptyStore } from '../../empty-store.ts'
import { claim, DAY } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { asOwner, NO_SERVER, SERVER, temporarySchema } from '../postgres/schema.ts'
import { openFile, temporaryFolder } from '../sqlite/file.ts'
import { ARRIVALS, copyOf, createToldFile, LATER, readAll, THEN, workOff } from './story.ts'
import { copyStorage } from './warm.ts'

const folder = temporaryFolder()
const reported = join(folder.path, 'told.db')
const empty = join(folder.path, 'empty.db')

beforeAll(async () => {
  await createToldFile(reported)
  await writeEmptyStore(empty)
})
afterAll(() => folder[Symbol.dispose]())

test('When a table or a column is added to a store, then the copy must know what becomes of it', () => {
  const theirs = Object.values(source).filter((table) => is(table, SQLiteTable))
  const ours = Object.values(target).filter((table) => is(table, PgTable))
  // What is not copied: which keys are in their table, when all of them are; what was in flight, which is counted then; and what hubs alone have.
  const names = theirs
    .map((table) => sqliteConfig(table).name)
    .filter((name) => name !== 'keys_merged' && name !== 'in_flight')
  expect(COPIED_TABLES.map(({ name }) => name).sort()).toEqual(names.sort())
  expect(ours.map((table) => pgConfig(table).name).sort()).toEqual([...names, 'hubs', 'in_flight', 'partitions'].sort())

  const copied = COPIED_TABLES.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
  const columns = theirs.map(sqliteConfig).flatMap(({ name, columns }) => columns.map((one) => `${name}.${one.name}`))
  const own = ['attempts.id']
  const kept = columns.filter((name) => name !== 'keys_merged.up_to' && name !== 'in_flight.delivery_id')
  expect(copied.toSorted()).toEqual([...kept, ...own].sort())
})

describe
  .skipIf(SERVER === undefined)
  .concurrent(`a store that is copied (${SERVER ? 'PostgreSQL' : NO_SERVER})`, () => {
    test('When it is copied, then people read of it what they read before, and a hub goes on with it', async () => {
      const [path, twin] = [copyOf(reported), copyOf(reported)]
      await using schema = await temporarySchema()
      const steps: CopyStep[] = []
      const report = await copyStorage({ from: `file:${path}`, to: schema.url, progress: (step) => steps.push(step) })
      expect(report.tables).toHaveLength(COPIED_TABLES.length)
      expect(report.tables.filter(({ file, postgres, equal }) => file !== postgres || file === 0 || !equal)).toEqual([])
      expect([...new Set(steps.map(({ doing }) => doing))]).toEqual(['copying', 'verifying'])
      expect(steps.find(({ doing }) => doing === 'copying')).toMatchObject({ done: 0 })
      for (const doing of ['copying', 'verifying']) {
        const all = steps.filter((step) => step.doing === doing).at(-1)
        expect(all?.done, doing).toBe(all?.of)
      }

      await using before = await openFile(twin)
      await using after = await openPostgresStorage({ url: schema.url, sameBytesWindow: DAY })
      expect(asPostgresKeepsIt(await readAll(after))).toEqual(asPostgresKeepsIt(await readAll(before)))

      // What comes now is compared with what was acknowledged before.
      expect(await after.accept([...LATER])).toEqual(await before.accept([...LATER]))
      // All keys are known, also those that waited to be merged into their table; and nothing is owed once more.
      expect(await after.accept([...ARRIVALS])).toEqual(await before.accept([...ARRIVALS]))
      const [pending] = await after.deliveries({ flow: 'tell' })
      for (const storage of [before, after])
        expect(
          await storage.enqueue(
            pending?.event ?? 0,
            ARRIVALS.flatMap(({ deliveries }) => deliveries).filter(({ once }) => once),
          ),
        ).toBe(0)
      expect(await after.seen('platform', ['k-1', 'k-2', 'k-3'])).toEqual(new Set(['k-1', 'k-2']))

      const rounds = await workOff(after)
      expect(rounds.length).toBeGreaterThan(3)
      expect(asPostgresKeepsIt(rounds)).toEqual(asPostgresKeepsIt(await workOff(before)))
    })

    test('When a hub works on a copy, then new ids are higher than those that were copied', async () => {
      const path = copyOf(reported)
      await using schema = await temporarySchema()
      await copyStorage({ from: `file:${path}`, to: schema.url })
      await using storage = await openPostgresStorage({ url: schema.url, sameBytesWindow: DAY })
      const [event, delivery] = [(await storage.events({}))[0]?.id ?? 0, (await storage.deliveries({}))[0]?.id ?? 0]
      const { about } = createArrivals({ now: Date.now })
      const line = { resource: 'products', key: 'k-2', line: 1 }
      const [added] = await storage.accept([{ ...about('new'), origin: 'erp', submission: line }])
      expect(added?.id).toBeGreaterThan(event)
      expect(added).toMatchObject({ submission: 2 })
      expect((await storage.deliveries({}))[0]?.id).toBeGreaterThan(delivery)
      await storage.skip({ event: added?.id ?? 0 }, { by: 'kari', reason: null, at: THEN, dryRun: false })
      await storage.saveCustomers([{ ...UNKNOWN_CUSTOMER, email: 'bo@example.com' }], THEN)
      await storage.noteLookup({ at: THEN, number: 'A1', found: [], missing: [], ms: 1 })
      expect(await storage.customerCount()).toBe(3)
      const last = (await storage.mirrorPage({ set: 'sales-lines' }, null, 10)).at(-1)
      if (last) await storage.saveMirror([{ type: 'put', row: { ...last, key: 'new' } }], THEN)
      expect((await storage.mirrorRows('sales-lines', ['new']))[0]?.id).toBeGreaterThan(last?.id ?? 0)
      const run = await storage.beginJob('stores', { now: Date.now(), lease: DAY })
      await storage.endJob('stores', run?.fence ?? 0, { at: Date.now(), note: 'done' })
      expect(await storage.jobRuns('stores', 10)).toMatchObject([
        { note: 'done' },
        { endedAt: null },
        { note: '2 stores' },
      ])
      const fences = (await claim(storage)).map(({ fence }) => fence)
      expect(Math.min(...fences)).toBeGreaterThan(2)
    })

    test('When the schema is not empty, or of a newer version, then the copy is refused and changes nothing', async () => {
      const path = copyOf(reported)
      await using schema = await temporarySchema()
      const options = { from: `file:${path}`, to: schema.url }
      {
        await using storage = await openPostgresStorage({ url: schema.url, sameBytesWindow: DAY })
        await storage.noteLookup({ at: THEN, number: 'A1', found: [], missing: [], ms: 1 })
      }
      await expect(copyStorage(options)).rejects.toThrow(/^The schema .* is not empty \(lookups\): .* drop this one/)
      await asOwner(`delete from ${schema.name}.lookups; update ${schema.name}.customer_count set n = 1`)
      await expect(copyStorage(options)).rejects.toThrow('is not empty (customer_count)')
      await asOwner(
        `update ${schema.name}.customer_count set n = 0; insert into ${schema.name}.__drizzle_migrations (hash, created_at) values ('later', 9999999999999)`,
      )
      await expect(copyStorage(options)).rejects.toThrow('was written by a newer Tillbridge')
      const claimed = new Database(path, { readonly: true })
      expect(claimed.prepare(`select count(*) as n from deliveries where state = 'claimed'`).get()).not.toEqual({
        n: 0,
      })
      claimed.close()
    })

    test('When there is no such server, or it lets nobody in, then that is said without the password', async () => {
      const from = `file:${copyOf(empty)}`
      const secret = 'postgres://me:s3cret@127.0.0.1:1/test'
      await expect(copyStorage({ from, to: secret })).rejects.toThrow(
        'PostgreSQL at 127.0.0.1:1/test cannot be used now',
      )
      const other = new URL(SERVER ?? '')
      other.pathname = '/no_such_database'
      await expect(copyStorage({ from, to: other.toString() })).rejects.toThrow(/no_such_database.* does not exist/)
      await expect(copyStorage({ from, to: `${secret}?schema=NO` })).rejects.toThrow(
        /^--to: "NO" is no name for a schema/,
      )
    })
  })

describe('a store that cannot be copied', () => {
  const to = 'postgres://me:s3cret@127.0.0.1:1/test'
  const refused = (from: string) => expect(copyStorage({ from: `file:${from}`, to })).rejects

  test('When a hub works on it, then the copy is refused, and the hub is not disturbed', async () => {
    const path = copyOf(empty)
    await using storage = await openFile(path)
    await refused(path).toThrow(`A hub works on ${path}: stop it first`)
    await storage.accept([createArrivals({ now: Date.now }).arrival()])
  })

  test('When there is no file, or it is no store, then that is said, and nothing is made', async () => {
    const missing = join(folder.path, 'missing.db')
    await refused(missing).toThrow(`There is no ${missing}.`)
    const text = join(folder.path, 'text.db')
    writeFileSync(text, 'These are the minutes of the meeting. '.repeat(100))
    await refused(text).toThrow(`${text} is not a database`)
    expect(readdirSync(folder.path).filter((name) => name.startsWith('missing'))).toEqual([])
  })

  test('When it is of another version, then it is said what to do', async () => {
    const path = copyOf(empty)
    const change = (statement: string) => {
      const db = new Database(path)
      db.exec(statement)
      db.close()
    }
    change(`insert into __drizzle_migrations (hash, created_at) values ('later', 9999999999999)`)
    await refused(path).toThrow(`${path} was written by a newer Tillbridge. Copy it with that version.`)
    change('delete from __drizzle_migrations')
    await refused(path).toThrow('Start the hub on it, which brings it up to date, stop it, and copy then.')
    expect(existsSync(`${path}-wal`)).toBe(false)
  })

  test('When an address is of another sort, then it is not repeated: it may hold a password', async () => {
    await expect(copyStorage({ from: to, to })).rejects.toThrow(/^--from names no file: use file:[^@]*$/)
    await expect(copyStorage({ from: `file:${empty}`, to: 'mysql://me:s3cret@db' })).rejects.toThrow(
      /^--to names no Postgre/,
    )
  })
})

function asPostgresKeepsIt<T>(value: T): T {
  if (typeof value === 'number') return Math.round(value) as T
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD') as T
  if (value instanceof Uint8Array) return Buffer.from(value) as T
  if (Array.isArray(value)) return value.map(asPostgresKeepsIt) as T
  if (typeof value !== 'object' || value === null) return value
  // What was in flight is taken back when a store is opened: each opening has its own instant.
  if ('code' in value && value.code === 'lease-over' && 'at' in value && value.at !== null)
    return asPostgresKeepsIt({ ...value, at: null })
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asPostgresKeepsIt(one)])) as T
}
