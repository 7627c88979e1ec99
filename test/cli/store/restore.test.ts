import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { backUp } from '../../../src/storage/backup.ts'
import { openTestStore } from '../../empty-store.ts'
import { createArrivals } from '../../storage/arrivals.ts'
import { temporaryFolder } from '../../storage/sqlite/file.ts'
import { tillbridge } from '../run.ts'

const { arrival } = createArrivals({ now: Date.now })
const ADMIN_TOKEN = 'a-token-of-operators-that-is-long'

/** A store with two events, a backup of it with one, and the command with its config. */
async function openRestorable() {
  const folder = temporaryFolder()
  const [file, saved, config] = ['store.db', 'saved.db', 'tillbridge.yaml'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ]
  {
    await using storage = await openTestStore(file)
    await storage.accept([arrival()])
    await backUp(`file:${file}`, saved)
    await storage.accept([arrival()])
  }
  const configured = (url: string) =>
    writeFileSync(
      config,
      `server: { adminToken: "\${ADMIN_TOKEN}" }\nplatform: { webhooks: { tokens: ["\${ADMIN_TOKEN}"] } }\nstore: { url: "${url}" }\n`,
    )
  configured(`file:${file}`)
  return {
    ...{ file, saved, folder: folder.path, configured },
    restore: (...args: string[]) =>
      tillbridge(['store', 'restore', ...args], { TILLBRIDGE_CONFIG: config, ADMIN_TOKEN }),
    events: async (path = file) => {
      await using storage = await openTestStore(path)
      return (await storage.events({})).length
    },
    names: () => readdirSync(folder.path).sort(),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

test('When a backup is restored beside what a killed hub left, then the store is the backup, and what was there lies aside, whole', async () => {
  using the = await openRestorable()
  // A hub that was killed leaves its last commits in the -wal.
  const killed = join(the.folder, 'killed.db')
  const db = new Database(the.file)
  db.pragma('journal_mode = wal')
  db.exec(
    "insert into audit (at, by, action, selection, changed, words, hash) values (0, 'kari', 'left', '{}', 0, '', '')",
  )
  for (const end of ['', '-wal', '-shm']) copyFileSync(the.file + end, killed + end)
  db.close()
  for (const end of ['', '-wal', '-shm']) copyFileSync(killed + end, the.file + end)
  const { code, out, err } = await the.restore(the.saved)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/people erase --proof[\s\S]*resend-failed[\s\S]*tillbridge complete/)
  expect(readFileSync(the.file)).toEqual(readFileSync(the.saved))
  if (process.platform !== 'win32') expect(statSync(the.file).mode & 0o777).toBe(0o600)
  for (const end of ['-wal', '-shm']) expect(existsSync(the.file + end)).toBe(false)
  const rejected = the.names().find((name) => /^store\.db\.before-[-\dTZ]+$/.test(name)) ?? ''
  for (const end of ['-wal', '-shm']) expect(the.names()).toContain(rejected + end)
  const before = new Database(join(the.folder, rejected))
  expect(before.prepare("select count(*) from audit where action = 'left'").pluck().get()).toBe(1)
  before.close()
  expect(await the.events()).toBe(1)
})

test('When a hub has the store, then nothing is restored', async () => {
  using the = await openRestorable()
  {
    await using _ = await openTestStore(the.file)
    const refused = await the.restore(the.saved)
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('Stop its hub first') })
  }
  expect(await the.events()).toBe(2)
})

test('When a backup cannot be used, then it is said why, and the store stays as it is', async () => {
  using the = await openRestorable()
  const broken = join(the.folder, 'broken.db')
  const bytes = readFileSync(the.saved)
  writeFileSync(broken, bytes.fill(7, 8_192, bytes.length))
  const newer = join(the.folder, 'newer.db')
  copyFileSync(the.saved, newer)
  const db = new Database(newer)
  db.exec("insert into __drizzle_migrations (hash, created_at) values ('of tomorrow', 9e12)")
  db.close()
  const other = join(the.folder, 'other.db')
  new Database(other).exec('create table notes (id integer)').close()
  const words = join(the.folder, 'words.db')
  writeFileSync(words, 'no database at all, but some words of it'.repeat(100))
  const withWal = join(the.folder, 'with-wal.db')
  copyFileSync(the.saved, withWal)
  writeFileSync(`${withWal}-wal`, '')
  const names = the.names()

  for (const [backup, why] of [
    [broken, /is broken/],
    [newer, /was written by a newer Tillbridge/],
    [other, /is no store of Tillbridge/],
    [words, /is broken, or no database/],
    [withWal, /no copy that "tillbridge backup" made/],
    [the.file, /is the store itself/],
    [join(the.folder, 'nowhere.db'), /There is no .*nowhere\.db/],
  ] as const)
    expect(await the.restore(backup)).toMatchObject({ code: 2, err: expect.stringMatching(why) })

  expect(the.names().filter((name) => !name.endsWith('.lock'))).toEqual(names.filter((name) => !name.endsWith('.lock')))
  expect(await the.events()).toBe(2)
})

test('When there is no store yet, then the backup becomes it; when it is in PostgreSQL, then its own tools are named', async () => {
  using the = await openRestorable()
  const fresh = join(the.folder, 'fresh', 'store.db')
  the.configured(`file:${fresh}`)
  expect((await the.restore(the.saved)).out).toContain('Nothing was there before.')
  expect(await the.events(fresh)).toBe(1)
  the.configured('postgres://nobody@127.0.0.1:9/none')
  expect(await the.restore(the.saved)).toMatchObject({ code: 2, err: expect.stringContaining('pg_restore') })
})
