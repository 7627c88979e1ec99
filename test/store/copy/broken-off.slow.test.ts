import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CopyBegun } from '../../../src/store/copy/report.ts'
import { COPIED_TABLES } from '../../../src/store/copy/tables.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { openReading } from '../../../src/store/reading/open-reading.ts'
import { programEnv } from '../../program-env.ts'
import { DAY } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { asOwner, connect, migratedSchema, NO_SERVER, SERVER, temporarySchema } from '../postgres/schema.ts'
import { openFile, temporaryFolder } from '../sqlite/file.ts'
import { putGate } from './gate.ts'
import { createToldFile } from './story.ts'
import { copyStore } from './warm.ts'

const PROCESS = fileURLToPath(new URL('process.ts', import.meta.url))

/** Slices of a few rows. */
const SMALL = { rows: 4, wait: 20_000 }
const PASS = `set tillbridge.copying = 'on'`
const GOES_ON = /^The copy was broken off: .* What was copied so far stays there: type the same again/

const folder = temporaryFolder()
const told = join(folder.path, 'told.db')
let nth = 0
/** What a copy has that was never broken off. */
let whole: string

beforeAll(async () => {
  await createToldFile(told)
  if (SERVER === undefined) return
  await using schema = await temporarySchema()
  await copyStore({ from: `file:${fileOf()}`, to: schema.url })
  whole = await contentOf(schema.name)
})
afterAll(() => folder[Symbol.dispose]())

describe
  .skipIf(SERVER === undefined)
  .concurrent(`a copy that is broken off (${SERVER ? 'PostgreSQL' : NO_SERVER})`, () => {
    test('When it is killed in the middle of several tables and typed again, then it goes on, and all is there once', async () => {
      const from = `file:${fileOf()}`
      await using schema = await migratedSchema()
      let before = 0
      for (const [table, column] of [
        ['events', 'id'],
        ['deliveries', 'id'],
        ['search_keys', 'event_id'],
      ] as const) {
        const gate = await putGate(schema.name, table, column, 6)
        const child = spawn(process.execPath, [PROCESS, from, schema.url, '4'], { env: programEnv(), stdio: 'inherit' })
        await gate.reached()
        child.kill('SIGKILL')
        await once(child, 'close')
        await gate.open()
        await using client = await connect(schema.name)
        const [there] = await client.ask('select sum(rows)::int as n from copied_slices')
        expect(Number(there?.n)).toBeGreaterThan(before)
        before = Number(there?.n)
      }
      const begun: CopyBegun[] = []
      const report = await copyStore({ from, to: schema.url, limits: SMALL, begun: (one) => begun.push(one) })
      expect(begun).toEqual([
        { there: before, of: report.tables.reduce((sum, { file }) => sum + file, 0), dropped: null },
      ])
      expect(await contentOf(schema.name)).toBe(whole)
      await using client = await connect(schema.name)
      expect(await client.ask(`select to_regclass('copying') as a, to_regclass('copied_slices') as b`)).toEqual([
        { a: null, b: null },
      ])
      expect(
        await client.ask(
          `select * from pg_proc where proname = 'copying_guard' and pronamespace = '${schema.name}'::regnamespace`,
        ),
      ).toEqual([])
    })

    test('When the server ends the connection, then that is said, and the same goes on when it is typed again', async () => {
      const from = `file:${fileOf()}`
      await using schema = await migratedSchema()
      await breakOff(from, schema, 'deliveries')
      const begun: CopyBegun[] = []
      await copyStore({ from, to: schema.url, limits: SMALL, begun: (one) => begun.push(one) })
      expect(begun[0]?.there).toBeGreaterThan(0)
      expect(await contentOf(schema.name)).toBe(whole)
    })

    test('When the server has no room, or leaves rows out, then it is said, and nothing of that slice stays', async () => {
      const from = `file:${fileOf()}`
      await using schema = await migratedSchema()
      const options = { from, to: schema.url, limits: SMALL }
      await spoil(schema.name, `raise 'the disk is full' using errcode = '53100'`)
      await expect(copyStore(options)).rejects.toThrow(/the disk is full.* What was copied so far stays/)
      await spoil(schema.name, 'return null')
      await expect(copyStore(options)).rejects.toThrow('PostgreSQL took 0 of 1 rows of lookups')
      await asOwner(`alter table ${schema.name}.lookups rename ms to milliseconds`)
      await expect(copyStore(options)).rejects.toThrow(/^The copy was broken off: .*"ms"/)
      await asOwner(
        `alter table ${schema.name}.lookups rename milliseconds to ms; drop trigger spoil on ${schema.name}.lookups`,
      )
      await copyStore(options)
      expect(await contentOf(schema.name)).toBe(whole)
    })

    test('When a hub is started on what is there so far, then it refuses, and so does whoever would read', async () => {
      const from = `file:${fileOf()}`
      await using schema = await migratedSchema()
      await breakOff(from, schema, 'deliveries')
      const unfinished = `A copy is unfinished in the schema ${schema.name} at`
      await expect(openPostgresStore({ url: schema.url, sameBytesWindow: DAY })).rejects.toThrow(unfinished)
      await expect(openReading(schema.url)).rejects.toThrow(unfinished)
      await copyStore({ from, to: schema.url, limits: SMALL })
      await using store = await openPostgresStore({ url: schema.url, sameBytesWindow: DAY })
      expect(await store.customerCount()).toBe(2)
    })

    test('When a hub was there before the copy, then it writes nothing until the copy is made, and goes on then', async () => {
      await using schema = await temporarySchema()
      await using store = await openPostgresStore({ url: schema.url, sameBytesWindow: DAY })
      const gate = await putGate(schema.name, 'deliveries', 'id', 6)
      const copying = copyStore({ from: `file:${fileOf()}`, to: schema.url, limits: SMALL })
      await gate.reached()
      const arrival = createArrivals({ now: Date.now }).arrival()
      await expect(store.accept([arrival])).rejects.toMatchObject({ name: 'StoreUnavailableError' })
      await expect(store.check()).rejects.toThrow('it takes no writes')
      await gate.open()
      await copying
      expect(await contentOf(schema.name)).toBe(whole)
      const [taken] = await store.accept([arrival])
      expect(taken?.id).toBeGreaterThan(10)
    })

    test('When the file has changed since, then the copy begins anew, and says of which file the other was', async () => {
      const path = fileOf()
      const from = `file:${path}`
      await using schema = await migratedSchema()
      await breakOff(from, schema, 'deliveries')
      {
        await using hub = await openFile(path)
        await hub.noteLookup({ at: 1, number: 'A2', found: [], missing: [], ms: 1 })
      }
      const begun: CopyBegun[] = []
      const options = { to: schema.url, limits: SMALL, begun: (one: CopyBegun) => void begun.push(one) }
      await breakOff(from, schema, 'attempts', options)
      expect(begun).toMatchObject([{ there: 0, dropped: path }])
      // Another one is no other thing.
      const other = fileOf()
      await copyStore({ from: `file:${other}`, ...options })
      expect(begun.at(1)).toMatchObject({ there: 0, dropped: path })
      expect(await contentOf(schema.name)).toBe(whole)
    })

    test('When somebody alters what was copied, then each table is named, and where; no hub works on it', async () => {
      const from = `file:${fileOf()}`
      await using schema = await migratedSchema()
      const options = { from, to: schema.url, limits: SMALL }
      await expect(copyStore({ ...options, progress: breakAt('finishing') })).rejects.toThrow(GOES_ON)
      const change = (statement: string) => asOwner(`set search_path = ${schema.name}; ${statement}`)
      await expect(change(`update events set kind = 'Other' where id = 5`)).rejects.toThrow('a copy into the schema')
      await change(`${PASS}; update events set kind = 'Other' where id = 5`)
      await change(`${PASS}; update links set their_id = 'other' where id = 'A1'`)
      await change(`${PASS}; delete from payloads where event_id = (select max(event_id) from payloads)`)
      const failed = await copyStore(options).catch((error: Error) => error.message)
      expect(failed).toMatch(/^The copy is not what the file is: /)
      expect(failed).toContain(
        'of events where id > 4 and id <= 8, PostgreSQL has other rows than the file (4 of each)',
      )
      expect(failed).toMatch(/PostgreSQL has \d of \d rows of payloads where event_id > \d+/)
      expect(failed).toMatch(/of links, PostgreSQL has other rows than the file \(\d of each\)/)
      expect(failed).toContain(`drop the schema, and copy once more.`)
      await expect(openPostgresStore({ url: schema.url, sameBytesWindow: DAY })).rejects.toThrow('A copy is unfinished')
    })

    test('When two copies go into one schema, then the second is refused, and the first does not notice', async () => {
      const path = fileOf()
      await using schema = await migratedSchema()
      const gate = await putGate(schema.name, 'deliveries', 'id', 6)
      const first = copyStore({ from: `file:${path}`, to: schema.url, limits: SMALL })
      await gate.reached()
      const limits = { ...SMALL, wait: 100 }
      await expect(copyStore({ from: `file:${fileOf()}`, to: schema.url, limits })).rejects.toThrow(
        `Another copy into the schema ${schema.name} at`,
      )
      await expect(copyStore({ from: `file:${path}`, to: schema.url })).rejects.toThrow(`A hub works on ${path}`)
      await gate.open()
      await first
      expect(await contentOf(schema.name)).toBe(whole)
    })

    test('When texts of a key have signs that PostgreSQL keeps in another way, or sorts in another, then the copy is the same all the same', async () => {
      const path = fileOf()
      const db = new Database(path)
      const insert = db.prepare(
        `insert into links (destination, kind, id, their_id, is_level) values ('shop', 'order', ?, 't', 0)`,
      )
      const known = db.prepare(`insert into acknowledged (destination, flow, subject) values ('shop', 'f', ?)`)
      for (const id of ['a\0b', 'a\u0001', 'B', 'b', 'é', '\u{1F600}', '-a', 'ab']) {
        insert.run(id)
        known.run(id)
      }
      db.close()
      await using schema = await temporarySchema()
      const report = await copyStore({ from: `file:${path}`, to: schema.url, limits: SMALL })
      expect(report.tables.find(({ table }) => table === 'links')?.file).toBeGreaterThan(8)
    })
  })

/** A file of one's own, as it was told: some of it is in its log still. */
function fileOf(): string {
  nth += 1
  const path = join(folder.path, `${nth}.db`)
  for (const end of ['', '-wal']) if (existsSync(`${told}${end}`)) copyFileSync(`${told}${end}`, `${path}${end}`)
  return path
}

/** Begins a copy, and ends its connection in the middle of a table. */
async function breakOff(
  from: string,
  schema: { url: string; name: string },
  table: string,
  options: Partial<Parameters<typeof copyStore>[0]> = {},
) {
  const gate = await putGate(schema.name, table, table === 'attempts' ? 'delivery_id' : 'id', 2)
  // An expectation that waits would be taken for one of another story, which runs beside this one.
  const broken = copyStore({ from, to: schema.url, limits: SMALL, ...options }).catch((error: Error) => error)
  await gate.reached()
  await asOwner(`select pg_terminate_backend(pid) from pg_stat_activity where query like 'copy ${table} %' and
    pid in (select pid from pg_locks where relation = '${schema.name}.${table}'::regclass)`)
  expect(await broken).toMatchObject({ message: expect.stringMatching(GOES_ON) })
  await gate.open()
}

function breakAt(doing: string) {
  return (step: { doing: string }) => {
    if (step.doing === doing) throw new Error('Somebody pulled the plug.')
  }
}

/** What happens when rows of `lookups` are written. */
function spoil(schema: string, what: string): Promise<void> {
  return asOwner(`set search_path = ${schema};
    create or replace function spoil() returns trigger language plpgsql as $$ begin ${what}; end $$;
    create or replace trigger spoil before insert on lookups for each row execute function spoil()`)
}

/** What was in flight is taken back when the file is opened: each opening has its own instant. */
const TAKEN_BACK_AT = /(,)\d+(,0,unknown,lease-over,)/

/** All rows that were copied, and how many strands were made of them: since when they are due is each copy's own. */
async function contentOf(schema: string): Promise<string> {
  await using client = await connect(schema)
  const texts: string[] = []
  for (const { name } of COPIED_TABLES) {
    const rows = await client.ask(`select t::text as row from ${name} t order by 1`)
    texts.push(name, ...rows.map(({ row }) => String(row).replace(TAKEN_BACK_AT, '$1(opened)$2')))
  }
  const strands = await client.ask('select id::text, head::int, size from strands order by id')
  return [...texts, JSON.stringify(strands)].join('\n')
}
