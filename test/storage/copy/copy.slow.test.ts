import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { is } from 'drizzle-orm'
import { PgTable, getTableConfig as pgConfig } from 'drizzle-orm/pg-core'
import { SQLiteTable, getTableConfig as sqliteConfig } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UNKNOWN_CUSTOMER } from '../../../src/domain/customers/customer-record.ts'
import { COPIED_TABLES } from '../../../src/storage/copy/copy.ts'
import * as target from '../../../src/storage/postgres/schema.ts'
import { openPostgresStorage } from '../../../src/storage/postgres/storage.ts'
import * as source from '../../../src/storage/sqlite/schema.ts'
import { writeEmptyStore } from '../../empty-store.ts'
import { claim, DAY } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { NO_POOLER, startOwnPooler } from '../postgres/own-pooler.ts'
import { asOwner, NO_SERVER, SERVER, temporarySchema } from '../postgres/schema.ts'
import { openFile, temporaryFolder } from '../sqlite/file.ts'
import { ARRIVALS, contentOf, copyOf, createToldFile, LATER, readAll, THEN, workOff } from './story.ts'
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

  // PostgreSQL fills in what it alone has.
  const own = ['attempts.id', 'deliveries.partition', 'deliveries.xid']
  const copied = COPIED_TABLES.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
  const columns = ours
    .map((table) => pgConfig(table))
    .filter((table) => names.includes(table.name))
    .flatMap((table) => table.columns.map((column) => ({ name: `${table.name}.${column.name}`, column })))
  expect([...copied, ...own].sort()).toEqual(columns.map(({ name }) => name).sort())
  // SQLite's hex() of null is an empty text.
  const bytes = columns.filter(({ column }) => ['bytea', 'uuid'].includes(column.getSQLType()))
  expect(bytes.filter(({ column }) => !column.notNull)).toEqual([])
})

describe
  .skipIf(SERVER === undefined)
  .concurrent(`a store that is copied (${SERVER ? 'PostgreSQL' : NO_SERVER})`, () => {
    test('When it is copied, then people read of it what they read before, and a hub goes on with it', async () => {
      const [path, twin] = [copyOf(reported), copyOf(reported)]
      await using schema = await temporarySchema()
      const { tables } = await copyStorage(`file:${path}`, schema.url)
      expect(tables.map(({ table }) => table)).toEqual(COPIED_TABLES.map(({ name }) => name))
      expect(tables.filter(({ rows }) => rows === 0)).toEqual([])

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

    test('every row of every table is what the file has, also texts that PostgreSQL keeps or sorts in another way', async () => {
      const path = copyOf(reported)
      addOddTexts(path)
      await using schema = await temporarySchema()
      const { tables } = await copyStorage(`file:${path}`, schema.url)
      expect(tables.find(({ table }) => table === 'links')?.rows).toBeGreaterThan(8)
      expect(await contentOf(schema.name)).toEqual(contentOfFile(path))
    })

    test.skipIf(NO_POOLER !== null)(`it is the same through ${NO_POOLER ?? 'PgBouncer'}`, async () => {
      const path = copyOf(reported)
      await using schema = await temporarySchema()
      await using pooler = await startOwnPooler()
      await copyStorage(`file:${path}`, pooler.through(schema.url))
      expect(await contentOf(schema.name)).toEqual(contentOfFile(path))
    })

    test('When a hub works on a copy, then new ids are higher than those that were copied', async () => {
      const path = copyOf(reported)
      await using schema = await temporarySchema()
      await copyStorage(`file:${path}`, schema.url)
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
      const refused = () => expect(copyStorage(`file:${path}`, schema.url)).rejects
      {
        await using storage = await openPostgresStorage({ url: schema.url, sameBytesWindow: DAY })
        await storage.noteLookup({ at: THEN, number: 'A1', found: [], missing: [], ms: 1 })
      }
      await refused().toThrow(/^The schema .* is not empty \(lookups\): .* drop this one/)
      await asOwner(`delete from ${schema.name}.lookups; update ${schema.name}.customer_count set n = 1`)
      await refused().toThrow('is not empty (customer_count)')
      await asOwner(
        `update ${schema.name}.customer_count set n = 0; insert into ${schema.name}.__drizzle_migrations (hash, created_at) values ('later', 9999999999999)`,
      )
      await refused().toThrow('was written by a newer Tillbridge')
      const claimed = new Database(path, { readonly: true })
      expect(claimed.prepare(`select count(*) as n from deliveries where state = 'claimed'`).get()).not.toEqual({
        n: 0,
      })
      claimed.close()
    })

    test('When there is no such server, or it lets nobody in, then that is said without the password', async () => {
      const from = `file:${copyOf(empty)}`
      const secret = 'postgres://me:s3cret@127.0.0.1:1/test'
      await expect(copyStorage(from, secret)).rejects.toThrow('PostgreSQL at 127.0.0.1:1/test cannot be used now')
      const other = new URL(SERVER ?? '')
      other.pathname = '/no_such_database'
      await expect(copyStorage(from, other.toString())).rejects.toThrow(/no_such_database.* does not exist/)
      await expect(copyStorage(from, `${secret}?schema=NO`)).rejects.toThrow(/^store.url: "NO" is no name for a schema/)
    })
  })

describe('a store that cannot be copied', () => {
  const to = 'postgres://me:s3cret@127.0.0.1:1/test'
  const refused = (from: string) => expect(copyStorage(`file:${from}`, to)).rejects

  test('When a hub works on it, then the copy is refused, and the hub is not disturbed', async () => {
    const path = copyOf(empty)
    await using storage = await openFile(path)
    await refused(path).toThrow(`another process holds the lock on ${path}`)
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
    await expect(copyStorage(to, to)).rejects.toThrow(/^--from names no file: use file:[^@]*$/)
    await expect(copyStorage(`file:${empty}`, 'mysql://me:s3cret@db')).rejects.toThrow(/^--to names no Postgre/)
  })
})

/** Texts of keys that are the same, or in another order, where a text ends at NUL or is sorted by a language. */
function addOddTexts(path: string): void {
  const db = new Database(path)
  const link = db.prepare(
    `insert into links (destination, kind, id, their_id, is_level) values ('shop', 'order', ?, 't', 0)`,
  )
  const known = db.prepare(`insert into acknowledged (destination, flow, subject) values ('shop', 'f', ?)`)
  for (const text of ['a', 'a\0b', 'a\u0001', 'B', 'b', 'é', '\u{1F600}', '-a', 'ab', '\\N\t\\u0000']) {
    link.run(text)
    known.run(text)
  }
  db.close()
}

/** As `contentOf` says it. */
function contentOfFile(path: string): string[] {
  const db = new Database(path, { readonly: true })
  const lines = COPIED_TABLES.flatMap(({ name, columns }) => {
    const values = columns.map((column) => `"${column.name}"`)
    const rows = db.prepare<[], unknown[]>(`select ${values} from ${name}`).raw().all()
    return rows.map(
      (row) => `${name} ${JSON.stringify(row.map((value, index) => asPostgresSaysIt(value, columns[index]?.type)))}`,
    )
  })
  db.close()
  return lines.sort()
}

function asPostgresSaysIt(value: unknown, type?: string): string | null {
  if (value === null) return null
  if (value instanceof Uint8Array) {
    const hex = Buffer.from(value).toString('hex')
    return type === 'uuid' ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : hex
  }
  if (type === 'boolean') return String(value !== 0)
  return typeof value === 'number' ? String(Math.round(value)) : String(value).replaceAll('\0', '\uFFFD')
}

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
