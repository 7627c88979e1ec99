import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { restoreStorage } from '../../src/storage/backup.ts'
import { eventually } from '../eventually.ts'
import { sale, stockMovement } from '../fixtures/payloads.ts'
import { busTo, createFolder, openFile } from '../hub.ts'
import { startLoad } from '../hubs/load.ts'
import { type HubProcess, startHubProcess } from '../kill/hub-process.ts'
import { startSink } from '../sink.ts'
import { asOwner, NO_SERVER, SERVER, temporarySchema } from '../storage/postgres/schema.ts'

/*
 * From a storage that the first version wrote to that of the version of tomorrow. `fixtures` has one of each kind as 0.1.0 writes it;
 * until that is released, UPDATE_FIXTURES=1 writes them anew where its tables change. What is released is never written again.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)
const SQLITE = fixture('0.1.0.db.zst')
const POSTGRES = fixture('0.1.0.sql.zst')
const SCHEMA = 'tillbridge_0_1_0'

const DELIVERED = 12
const WAITING = 8

if (process.env.UPDATE_FIXTURES) await writeFixtures()

const folder = await createFolder()
const tomorrow = join(folder.path, 'tomorrow')

beforeAll(() => {
  makeTomorrow(tomorrow)
  return () => folder[Symbol.asyncDispose]()
})

test.each(['sqlite', 'postgres'])('The storage of 0.1.0 for %s is that of its migrations', (engine) => {
  const first = readFileSync(join(ROOT, `src/storage/${engine}/migrations/0000_start.sql`))
  const hash = createHash('sha256').update(first).digest('hex')
  const text = zstdDecompressSync(readFileSync(engine === 'sqlite' ? SQLITE : POSTGRES)).toString('latin1')
  expect(text.includes(hash), 'UPDATE_FIXTURES=1 npx vitest run test/process/upgrade.slow.test.ts').toBe(true)
})

describe('a hub on SQLite', () => {
  test('When the first version was stopped amid its work, then this version has its events and does what waited', async () => {
    await using story = await openStory()
    await using hub = await story.start()
    await story.allDone(hub)
  })

  test('When a newer version starts, then it copies the storage, migrates it and does what waited; the older one goes back to the copy', async () => {
    await using story = await openStory()
    {
      await using hub = await story.start(join(tomorrow, 'src/main.ts'))
      await story.allDone(hub)
      expect(await hub.post('SaleCreated', sale({ receiptNo: 'of tomorrow' }))).toBe(202)
      await hub.untilIdle()
      expect(await hub.stop('SIGTERM')).toBe(0)
    }
    const copies = readdirSync(story.folder).filter((name) => name.includes('.before-upgrade-'))
    expect(copies).toEqual([expect.stringMatching(/^tillbridge\.db\.before-upgrade-[-\dTZ]+$/)])
    const saved = join(story.folder, String(copies))
    using copy = openFile(saved)
    expect(copy.prepare('select count(*) from events').pluck().get()).toBe(DELIVERED + WAITING)
    expect(copy.pragma('table_info(tomorrows)')).toEqual([])

    const back = await story.start(undefined, true)
    await eventually(() => back.exited)
    expect(back.log()).toContain('was written by a newer Tillbridge')

    restoreStorage(`file:${story.file}`, saved, Date.now())
    await using hub = await story.start()
    await story.allDone(hub)
  })
})

describe.skipIf(SERVER === undefined)(`hubs on PostgreSQL (${SERVER ? 'a server' : NO_SERVER})`, () => {
  test('When two hubs are upgraded one after the other under load, then the first one migrates under the second, and nothing is lost', async () => {
    await using schema = await temporarySchema()
    await asOwner(dumpOf(schema.name))
    await using sink = await startSink()
    await using work = await createFolder()
    await using hubs = new AsyncDisposableStack()
    const start = async (name: string, entry?: string, port?: number) =>
      hubs.use(
        await startHubProcess({
          ...{ folder: work.path, name, store: schema.url, destinations: { bus: busTo(sink.url) } },
          ...(entry !== undefined && { entry }),
          ...(port !== undefined && { port }),
        }),
      )
    const pair: HubProcess[] = [await start('one'), await start('two')]
    await using load = startLoad(
      pair.map(({ url }) => url),
      50,
    )
    await eventually(() => load.taken.size > 50)
    for (const [index, name] of ['one', 'two'].entries()) {
      const before = pair[index]
      if (!before) throw new Error('There are two.')
      expect(await before.stop('SIGTERM')).toBe(0)
      pair[index] = await start(name, join(tomorrow, 'src/main.ts'), Number(new URL(before.url).port))
      const from = load.taken.size
      await eventually(() => load.taken.size > from + 50)
    }
    await load[Symbol.asyncDispose]()
    await pair[0]?.untilIdle()

    expect(load.others).toEqual([])
    const delivered = new Set(sink.received.map(({ body }) => (JSON.parse(body) as { movementId?: number }).movementId))
    expect([...load.taken].filter((n) => !delivered.has(n))).toEqual([])
    const waited = sink.received.filter(({ body }) => String(body).includes('waits '))
    expect(waited).toHaveLength(WAITING)
    const client = new pg.Client({ connectionString: SERVER })
    await client.connect()
    const { rows } = await client.query(`select count(*)::int as n from ${schema.name}.events`)
    await client.end()
    expect(rows[0].n).toBe(DELIVERED + WAITING + load.taken.size)
  })
})

/** A folder with the storage of 0.1.0, on which hubs are started. */
async function openStory() {
  await using opened = new AsyncDisposableStack()
  const { path } = opened.use(await createFolder())
  const sink = opened.use(await startSink())
  const file = join(path, 'tillbridge.db')
  writeFileSync(file, zstdDecompressSync(readFileSync(SQLITE)), { mode: 0o600 })
  const open = opened.move()
  return {
    ...{ folder: path, file },
    start: (entry?: string, isHopeless = false) =>
      startHubProcess({
        ...{ folder: path, destinations: { bus: busTo(sink.url) } },
        ...(entry !== undefined && { entry }),
        ...(isHopeless && { isHopeless }),
      }),
    async allDone(hub: HubProcess) {
      await hub.untilIdle()
      const { events } = await hub.admin<{ events: unknown[] }>('events')
      expect(events).toHaveLength(DELIVERED + WAITING)
      expect(new Set(sink.received.map(({ body }) => body)).size).toBeGreaterThanOrEqual(WAITING)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** This program with one more migration of each engine: as a next version changes a table and brings one. */
function makeTomorrow(to: string): void {
  for (const name of ['src', 'package.json']) cpSync(join(ROOT, name), join(to, name), { recursive: true })
  for (const name of ['node_modules', 'packages']) symlinkSync(join(ROOT, name), join(to, name))
  for (const engine of ['sqlite', 'postgres']) {
    const migrations = join(to, 'src/storage', engine, 'migrations')
    const journal = join(migrations, 'meta/_journal.json')
    const { entries, ...rest } = JSON.parse(readFileSync(journal, 'utf8')) as {
      entries: { idx: number; when: number }[]
    }
    const [last] = entries.slice(-1)
    if (!last) throw new Error('There is a first one.')
    const next = { ...last, idx: last.idx + 1, when: last.when + 1, tag: 'tomorrow' }
    writeFileSync(journal, JSON.stringify({ ...rest, entries: [...entries, next] }))
    writeFileSync(
      join(migrations, 'tomorrow.sql'),
      'create table tomorrows (id integer primary key);\n--> statement-breakpoint\nalter table jobs add column tomorrow integer;\n',
    )
  }
}

/** The statements that make the schema of 0.1.0, under another name. */
function dumpOf(name: string): string {
  // Commands of psql, which newer ones of pg_dump write besides.
  return zstdDecompressSync(readFileSync(POSTGRES))
    .toString()
    .replaceAll(SCHEMA, name)
    .replace(/^\\.*$/gm, '')
}

async function writeFixtures(): Promise<void> {
  await using folder = await createFolder()
  await writeStorage(folder.path)
  writeFileSync(SQLITE, zstdCompressSync(readFileSync(join(folder.path, 'tillbridge.db'))))
  if (SERVER === undefined) throw new Error(NO_SERVER)
  const url = new URL(SERVER)
  url.searchParams.set('schema', SCHEMA)
  await writeStorage(folder.path, url.toString())
  const given = ['--schema', SCHEMA, '--inserts', '--no-owner', '--no-privileges', SERVER]
  const { stdout } = await promisify(execFile)('pg_dump', given, { maxBuffer: 64_000_000 })
  writeFileSync(POSTGRES, zstdCompressSync(stdout))
  await asOwner(`drop schema ${SCHEMA} cascade`)
}

/** What a hub leaves that was stopped while its receiver was away. */
async function writeStorage(folder: string, store?: string): Promise<void> {
  await using sink = await startSink()
  await using hub = await startHubProcess({
    ...{ folder, destinations: { bus: busTo(sink.url) }, ...(store !== undefined && { store }) },
  })
  for (let n = 1; n <= DELIVERED; n += 1) await hub.post('StockMovementCreated', stockMovement({ movementId: -n }))
  await hub.untilIdle()
  sink.play({ status: 503 })
  for (let n = 1; n <= WAITING; n += 1) await hub.post('SaleCreated', sale({ receiptNo: `waits ${n}` }))
  await eventually(() => sink.received.length > DELIVERED)
  expect(await hub.stop('SIGTERM')).toBe(0)
}
