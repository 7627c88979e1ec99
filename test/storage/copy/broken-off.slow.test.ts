import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgresStorage } from '../../../src/storage/postgres/storage.ts'
import { programEnv } from '../../program-env.ts'
import { DAY } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { asOwner, migratedSchema, NO_SERVER, SERVER, temporarySchema } from '../postgres/schema.ts'
import { temporaryFolder } from '../sqlite/file.ts'
import { putGate } from './gate.ts'
import { contentOf, copyOf, createToldFile } from './story.ts'
import { copyStorage } from './warm.ts'

const PROCESS = fileURLToPath(new URL('process.ts', import.meta.url))

const NOTHING_LEFT = /^The copy was broken off: .* Nothing of it is there, or all: type the same again/

const folder = temporaryFolder()
const reported = join(folder.path, 'told.db')
/** What a copy has that was never broken off. */
let whole: string[]

beforeAll(async () => {
  await createToldFile(reported)
  if (SERVER === undefined) return
  await using schema = await temporarySchema()
  await copyStorage(`file:${copyOf(reported)}`, schema.url)
  whole = await contentButInstant(schema.name)
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
        await copyStorage(from, schema.url)
        expect(await contentButInstant(schema.name)).toEqual(whole)
      })

    test('a copy whose connection the server ends leaves an empty store, which a hub may begin on', async () => {
      const from = `file:${copyOf(reported)}`
      await using schema = await migratedSchema()
      const gate = await putGate(schema.name, 'deliveries', 'id', 2)
      // An expectation that waits would be taken for one of another story, which runs beside this one.
      const broken = copyStorage(from, schema.url).catch((error: Error) => error)
      await gate.reached()
      await asOwner(`select pg_terminate_backend(pid) from pg_stat_activity where query like 'insert into deliveries %' and
        pid in (select pid from pg_locks where relation = '${schema.name}.deliveries'::regclass)`)
      expect(await broken).toMatchObject({ message: expect.stringMatching(NOTHING_LEFT) })
      await gate.open()
      await using storage = await openPostgresStorage({ url: schema.url, sameBytesWindow: DAY })
      expect(await storage.accept([createArrivals({ now: Date.now }).arrival()])).toMatchObject([{ id: 1 }])
    })

    test('a server that has no room, or leaves rows out, is named, and nothing of the copy stays', async () => {
      const from = `file:${copyOf(reported)}`
      await using schema = await migratedSchema()
      const refused = () => expect(copyStorage(from, schema.url)).rejects
      await spoil(schema.name, `raise 'the disk is full' using errcode = '53100'`)
      await refused().toThrow(/the disk is full.* Nothing of it is there/)
      await spoil(schema.name, 'return null')
      await refused().toThrow(/: PostgreSQL has 0 of 1 rows of lookups\. Nothing of it is there/)
      await asOwner(`alter table ${schema.name}.lookups rename ms to milliseconds`)
      await refused().toThrow(/^The copy was broken off: .*"ms"/)
      await asOwner(
        `alter table ${schema.name}.lookups rename milliseconds to ms; drop trigger spoil on ${schema.name}.lookups`,
      )
      await copyStorage(from, schema.url)
      expect(await contentButInstant(schema.name)).toEqual(whole)
    })

    test('a hub that was there before the copy writes nothing until it is made, and goes on then', async () => {
      await using schema = await temporarySchema()
      await using storage = await openPostgresStorage({ url: schema.url, sameBytesWindow: DAY })
      const gate = await putGate(schema.name, 'deliveries', 'id', 6)
      const copying = copyStorage(`file:${copyOf(reported)}`, schema.url)
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
      const first = copyStorage(`file:${path}`, schema.url)
      await gate.reached()
      await expect(copyStorage(`file:${copyOf(reported)}`, schema.url)).rejects.toThrow('due to lock timeout')
      await expect(copyStorage(`file:${path}`, schema.url)).rejects.toThrow(`another process holds the lock on ${path}`)
      await gate.open()
      await first
      expect(await contentButInstant(schema.name)).toEqual(whole)
    })
  })

/** What happens when rows of `lookups` are written. */
function spoil(schema: string, what: string): Promise<void> {
  return asOwner(`set search_path = ${schema};
    create or replace function spoil() returns trigger language plpgsql as $$ begin ${what}; end $$;
    create or replace trigger spoil before insert on lookups for each row execute function spoil()`)
}

/** What was in flight is taken back when the file is opened: each opening has its own instant. */
async function contentButInstant(schema: string): Promise<string[]> {
  const lines = await contentOf(schema)
  return lines.map((line) => line.replace(/"\d+"(,"0","unknown","lease-over")/, '"opened"$1')).sort()
}
