import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { startFlags } from '../../sandbox/demo/start-flags.ts'
import { retentionJob } from '../../src/jobs/retention/retention.ts'
import { backUp } from '../../src/storage/backup.ts'
import { pagesContaining } from '../../src/storage/personal-places.ts'
import { chance } from '../chance.ts'
import { writeEmptyStore } from '../empty-store.ts'
import { createRunner, createTestLogger } from '../jobs/engine/run.ts'
import { createArrivals } from './arrivals.ts'
import { openFile, temporaryFile, temporaryFolder } from './sqlite/file.ts'

const ZEB = 'zebedaeus@canary.example.com'
const SCRUBBING = fileURLToPath(new URL('./scrubbing-process.ts', import.meta.url))
const PURGING = fileURLToPath(new URL('./purging-process.ts', import.meta.url))

/** How often the bytes of the file and its WAL have the address. */
function copiesIn(path: string): number {
  return [path, `${path}-wal`]
    .filter((file) => existsSync(file))
    .reduce((sum, file) => sum + readFileSync(file).toString('latin1').split(ZEB).length - 1, 0)
}

type Random = () => number

/** A table whose pages split, merge and have rows move between them; the address stands in some rows. */
interface HardFile {
  seed: number
  table?: string
  rows: number
  text(next: Random, nth: number): string
  /** Half of the rows grow afterwards. */
  grows?: true
}

const TABLE = 'create table hard (id integer primary key, said text); create index hard_said on hard (said)'

const HARD_FILES: Record<string, HardFile> = {
  'short rows that come between others': {
    ...{ seed: 12, rows: 3_000 },
    text: (next, nth) => (next() < 0.1 ? `${ZEB} ${nth}` : `another ${'x'.repeat(next() * 80)}`),
  },
  'long rows, the rest of which lies on other pages': {
    ...{ seed: 4, rows: 400 },
    text: (next) => (next() < 0.2 ? `${ZEB} ` : 'another ').repeat(Math.ceil(next() ** 2 * 600)),
  },
  'rows in the order of a text': {
    ...{
      seed: 24,
      table: 'create table hard (said text, id integer, primary key (said, id)) without rowid',
      rows: 3_000,
    },
    text: (next, nth) => (next() < 0.1 ? `${ZEB} ${nth}` : next() + 'x'.repeat(next() * 200)),
  },
  'rows beside others that grow': {
    ...{ seed: 3, table: TABLE.replace('said text', `said text, more text default ''`), rows: 2_000, grows: true },
    text: (next, nth) => (next() < 0.1 ? `${ZEB} ${nth}` : `another ${nth}`),
  },
}

function fill(db: Database.Database, { seed, table = TABLE, rows, text, grows }: HardFile): void {
  const next = chance(seed)
  db.exec(table)
  const add = db.prepare('insert or ignore into hard (id, said) values (?, ?)')
  for (let nth = 0; nth < rows; nth++) add.run(Math.floor(next() * 1e9), text(next, nth))
  if (!grows) return
  const grow = db.prepare('update hard set more = ? where id = ?')
  for (const { id } of db.prepare<[], { id: number }>('select id from hard').all())
    if (next() < 0.5) grow.run('y'.repeat(next() * 400), id)
}

/** A store with such a table, from the rows of which the address is gone. */
async function aHardFile(path: string, name: string): Promise<void> {
  await writeEmptyStore(path)
  const db = new Database(path)
  try {
    db.pragma('secure_delete = on')
    const file = HARD_FILES[name]
    if (file) fill(db, file)
    const rewritten = db.prepare('update hard set said = replace(said, ?, ?) where said like ?')
    expect(rewritten.run(ZEB, 'erased-1', `${ZEB}%`).changes).toBeGreaterThan(50)
    db.pragma('wal_checkpoint(truncate)')
  } finally {
    db.close()
  }
}

describe('bytes that rows have left', () => {
  for (const name of Object.keys(HARD_FILES))
    test(`a hard file (${name}), in which SQLite leaves copies in spite of secure_delete, has none after an erasure, nor have its backups`, async () => {
      using folder = temporaryFolder()
      const path = join(folder.path, 'store.db')
      await aHardFile(path, name)
      expect(copiesIn(path)).toBeGreaterThan(0)

      await using storage = await openFile(path)
      expect((await storage.searchRest([ZEB])).found).toBeGreaterThan(0)
      expect((await storage.scrub([ZEB.toUpperCase()])).found).toBe(0)
      expect(copiesIn(path)).toBe(0)
      expect(await storage.purgeDue(null)).toBe(null)
      await backUp(`file:${path}`, join(folder.path, 'copy.db'))
      expect(copiesIn(join(folder.path, 'copy.db'))).toBe(0)
      expect(integrityOf(path)).toBe('ok')
    })

  test('rows of the storage leave none behind when they are rewritten, and the file is not rewritten for them', async () => {
    using file = temporaryFile()
    await using storage = await openFile(file.path)
    const { arrival } = createArrivals({ now: Date.now })
    for (let nth = 0; nth < 40; nth++)
      await storage.accept(
        Array.from({ length: 10 }, (_, n) => arrival({ payload: { n, email: n < 3 ? ZEB : 'kari@example.com', nth } })),
      )
    const pages = await Array.fromAsync(pagesContaining(storage, 'payloads', [ZEB]))
    const rows = pages.flatMap((page) => page.rows)
    expect(rows).toHaveLength(120)
    const withoutHim = rows.map(({ row, values }) => ({
      ...{ place: 'payloads' as const, row, from: values },
      to: values.map((value) =>
        value instanceof Uint8Array ? Buffer.from(String(value).replace(ZEB, 'gone')) : value,
      ),
    }))
    expect(await storage.rewritePersonal(withoutHim)).toBe(120)
    const spare = new Database(file.path)
    spare.exec('create table spare (body blob); insert into spare values (zeroblob(200000)); drop table spare')
    spare.close()

    expect(await storage.scrub([ZEB])).toMatchObject({ found: 0 })
    expect(copiesIn(file.path)).toBe(0)
    expect(freePagesOf(file.path), 'VACUUM would have left none').toBeGreaterThan(10)
  })
})

/** Of a file that is too large to be rewritten while webhooks wait. */
async function aLargeFile(path: string): Promise<void> {
  await aHardFile(path, 'short rows that come between others')
  const db = new Database(path)
  db.exec('create table large (body blob); insert into large values (zeroblob(80000000))')
  db.close()
  await using storage = await openFile(path)
  const { found, warnings } = await storage.scrub([ZEB])
  expect(found).toBeGreaterThan(0)
  expect(warnings.join()).toContain('the job retention rewrites the file tonight')
  expect(copiesIn(path)).toBe(found)
}

describe('a file in which bytes are left to the night', () => {
  test('a large one is rewritten by the retention job, once there is room for it', async () => {
    using file = temporaryFile()
    await aLargeFile(file.path)
    await using storage = await openFile(file.path)
    let free = 10_000_000
    const options = { storage, ages: null, archive: null, room: async () => free, logger: createTestLogger().logger }
    const night = () => createRunner(retentionJob(options)).run()

    await expect(night()).rejects.toThrow(/could not be rewritten.*twice its size/)
    expect(copiesIn(file.path)).toBeGreaterThan(0)
    free = 1_000_000_000
    await night()
    expect(copiesIn(file.path)).toBe(0)
    expect(await storage.purgeDue(free)).toBe(null)
    expect(await storage.scrub([ZEB])).toMatchObject({ found: 0 })
  })

  test('a file the process of which ended between the rewriting of secrets and their search is rewritten at night', async () => {
    using file = temporaryFile()
    await aHardFile(file.path, 'short rows that come between others')
    const child = spawn(process.execPath, [...startFlags(), SCRUBBING, file.path, ZEB], { stdio: 'inherit' })
    await once(child, 'exit')
    expect(child.signalCode).toBe('SIGKILL')

    await using storage = await openFile(file.path)
    expect(copiesIn(file.path)).toBeGreaterThan(0)
    expect(await storage.purgeDue(null)).toBe(true)
    expect(copiesIn(file.path)).toBe(0)
    expect(await storage.scrubSecrets([], [ZEB], 'links')).toMatchObject({ found: 0 })
    expect(await storage.purgeDue(null), 'nothing was found').toBe(null)
  })

  test('a large one is rewritten after a restart where the process was killed meanwhile', async () => {
    using file = temporaryFile()
    await aLargeFile(file.path)
    const child = spawn(process.execPath, [...startFlags(), PURGING, file.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    while (child.exitCode === null && (statSync(`${file.path}-wal`, { throwIfNoEntry: false })?.size ?? 0) < 1_000_000)
      await pause(1)
    child.kill('SIGKILL')
    await exited
    expect(copiesIn(file.path)).toBeGreaterThan(0)

    await using storage = await openFile(file.path)
    expect(await storage.purgeDue(null)).toBe(true)
    expect(copiesIn(file.path)).toBe(0)
    expect(integrityOf(file.path)).toBe('ok')
  })
})

function integrityOf(path: string): unknown {
  return pragmaOf(path, 'integrity_check')
}

function freePagesOf(path: string): number {
  return Number(pragmaOf(path, 'freelist_count'))
}

function pragmaOf(path: string, name: string): unknown {
  const db = new Database(path, { readonly: true })
  try {
    return db.pragma(name, { simple: true })
  } finally {
    db.close()
  }
}
