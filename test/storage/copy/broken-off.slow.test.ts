import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COPIED_TABLES } from '../../../src/storage/copy/copy.ts'
import { openPostgresStorage } from '../../../src/storage/postgres/storage.ts'
import { programEnv } from '../../program-env.ts'
import { DAY } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { asOwner, connect, migratedSchema, NO_SERVER, SERVER, temporarySchema } from '../postgres/schema.ts'
import { temporaryFolder } from '../sqlite/file.ts'
import { putGate } from './gate.ts'
import { copyOf, createToldFile } from './story.ts'
import { copyStorage } from './warm.ts'

const PROCESS = fileURLToPath(new URL('process.ts', import.meta.url))

const NOTHING_LEFT = /^The copy was broken off: .* Nothing of it is there: type the same again/

const folder = temporaryFolder()
const reported = join(folder.path, 'told.db')
/** What a copy has that was never broken off. */
let whole: string

beforeAll(async () => {
  await createToldFile(reported)
  if (SERVER === undefined) return
  await using schema = await temporarySchema()
  await copyStorage({ from: `file:${copyOf(reported)}`, to: schema.url })
  whole = await contentOf(schema.name)
})
afterAll(() => folder[Symbol.dispose]())

describe
  .skipIf(SERVER === undefined)
  .concurrent(`a copy that is broken off (${SERVER ? 'PostgreSQL' : NO_SERVER})`, () => {
    for (const [table, column] of [
      ['events', 'id'],
      ['deliveries', 'id'],
      ['search_keys', 'event_id'],
    ] as const)
      test(`a copy that is killed in the middle of ${table} leaves nothing, and all is there once when it is typed again`, async () => {
        const from = `file:${copyOf(reported)}`
        await using schema = await migratedSchema()
        const gate = await putGate(schema.name, table, column, 6)
        const child = spawn(process.execPath, [PROCESS, from, schema.url], { env: programEnv(), stdio: 'inherit' })
        await gate.reached()
        child.kill('SIGKILL')
        await once(child, 'close')
        await gate.open()
        await copyStorage({ from, to: schema.url })
        expect(await contentOf(schema.name)).toBe(whole)
      })

    test('a copy whose connection the server ends leaves an empty store, which a hub may begin on', async () => {
      const from = `file:${copyOf(reported)}`
      await using schema = await migratedSchema()
      const gate = await putGate(schema.name, 'deliveries', 'id', 2)
      // An expectation that waits would be taken for one of another story, which runs beside this one.
      const broken = copyStorage({ from, to: schema.url }).catch((error: Error) => error)
      await gate.reached()
      await asOwner(`select pg_terminate_backend(pid) from pg_stat_activity where query like 'insert into deliveries %' and
        pid in (select pid from pg_locks where relation = '${schema.name}.deliveries'::regclass)`)
      expect(await broken).toMatchObject({ message: expect.stringMatching(NOTHING_LEFT) })
      await gate.open()
      await using storage = await openPostgresStorage({ url: schema.url, sameBytesWindow: DAY })
      expect(await storage.accept([createArrivals({ now: Date.now }).arrival()])).toMatchObject([{ id: 1 }])
    })

    test('a server that has no room, leaves rows out or alters them is named, and nothing of the copy stays', async () => {
      const from = `file:${copyOf(reported)}`
      await using schema = await migratedSchema()
      const options = { from, to: schema.url }
      await spoil(schema.name, `raise 'the disk is full' using errcode = '53100'`)
      await expect(copyStorage(options)).rejects.toThrow(/the disk is full.* Nothing of it is there/)
      await spoil(schema.name, 'return null')
      await expect(copyStorage(options)).rejects.toThrow('PostgreSQL took 0 of 1 rows of lookups')
      await spoil(schema.name, 'new.ms = new.ms + 1; return new')
      await expect(copyStorage(options)).rejects.toThrow(
        /The copy is not what the file is: of lookups, PostgreSQL has other rows than the file. Nothing of it is there/,
      )
      await asOwner(`alter table ${schema.name}.lookups rename ms to milliseconds`)
      await expect(copyStorage(options)).rejects.toThrow(/^The copy was broken off: .*"ms"/)
      await asOwner(
        `alter table ${schema.name}.lookups rename milliseconds to ms; drop trigger spoil on ${schema.name}.lookups`,
      )
      await copyStorage(options)
      expect(await contentOf(schema.name)).toBe(whole)
    })

    test('a hub that was there before the copy writes nothing until it is made, and goes on then', async () => {
      await using schema = await temporarySchema()
      await using storage = await openPostgresStorage({ url: schema.url, sameBytesWindow: DAY })
      const gate = await putGate(schema.name, 'deliveries', 'id', 6)
      const copying = copyStorage({ from: `file:${copyOf(reported)}`, to: schema.url })
      await gate.reached()
      const arrival = createArrivals({ now: Date.now }).arrival()
      const taking = storage.accept([arrival]).catch((error: Error) => error)
      await gate.open()
      await copying
      const first = await taking
      if (first instanceof Error) expect(first).toMatchObject({ name: 'StorageUnavailableError' })
      const [taken] = await storage.accept([arrival])
      expect(taken?.id).toBeGreaterThan(10)
      expect((await storage.events({ limit: 1_000 })).filter(({ id }) => id >= (taken?.id ?? 0))).toHaveLength(1)
    })

    test('a second copy into one schema is refused, and the first does not notice', async () => {
      const path = copyOf(reported)
      await using schema = await migratedSchema()
      const gate = await putGate(schema.name, 'deliveries', 'id', 6)
      const first = copyStorage({ from: `file:${path}`, to: schema.url })
      await gate.reached()
      await expect(copyStorage({ from: `file:${copyOf(reported)}`, to: schema.url, lockTimeout: 100 })).rejects.toThrow(
        `The schema ${schema.name} at`,
      )
      await expect(copyStorage({ from: `file:${path}`, to: schema.url })).rejects.toThrow(`A hub works on ${path}`)
      await gate.open()
      await first
      expect(await contentOf(schema.name)).toBe(whole)
    })

    test('When texts of a key have signs that PostgreSQL keeps in another way, or sorts in another, then the copy is the same all the same', async () => {
      const path = copyOf(reported)
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
      const report = await copyStorage({ from: `file:${path}`, to: schema.url })
      expect(report.tables.find(({ table }) => table === 'links')?.file).toBeGreaterThan(8)
    })
  })

/** What happens when rows of `lookups` are written. */
function spoil(schema: string, what: string): Promise<void> {
  return asOwner(`set search_path = ${schema};
    create or replace function spoil() returns trigger language plpgsql as $$ begin ${what}; end $$;
    create or replace trigger spoil before insert on lookups for each row execute function spoil()`)
}

/** What was in flight is taken back when the file is opened: each opening has its own instant. */
const TAKEN_BACK_AT = /(,)\d+(,0,unknown,lease-over,)/

/** All rows that were copied. */
async function contentOf(schema: string): Promise<string> {
  await using client = await connect(schema)
  const texts: string[] = []
  for (const { name, columns } of COPIED_TABLES) {
    const values = columns.map((column) => `"${column.name}"`)
    const rows = await client.ask(`select row(${values})::text as row from ${name} order by 1`)
    texts.push(name, ...rows.map(({ row }) => String(row).replace(TAKEN_BACK_AT, '$1(opened)$2')))
  }
  return texts.join('\n')
}
