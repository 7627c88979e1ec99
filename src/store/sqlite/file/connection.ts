import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { makePrivate, PRIVATE_FOLDER } from './private-file.ts'

export const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url))

/** Bytes a page: two or three webhooks each. With 4 KB a tenth fewer events a second; with 16 KB the same. */
const PAGE_SIZE = 8192

/** Pages that the WAL may grow to before a commit itself copies them into the file (64 MB): see checkpoints.ts. */
const FALLBACK_PAGES = 8_000

/** How long a write waits for somebody else's lock before it counts as unavailable (milliseconds). */
const LOCK_WAIT = 1_000

/** Opens the file for writing, the way the hub relies on: committed means on disk. */
export function openForWriting(path: string): Database.Database {
  makeFolder(dirname(path))
  makePrivate(path)
  return open(path)
}

/**
 * Opens it again, in the same way, and makes none: where it has gone meanwhile, an empty one in its place would take the log beside it, in
 * which commits may be.
 */
export function openAgain(path: string): Database.Database {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw Object.assign(new Error(`There is no ${path} any more.`), { code: 'SQLITE_CANTOPEN' })
  return open(path)
}

function open(path: string): Database.Database {
  const db = new Database(path, { timeout: LOCK_WAIT })
  db.pragma(`page_size = ${PAGE_SIZE}`)
  // A new file alone: room that rows leave is given back to the disk (docs/adr/0018-retention.md).
  db.pragma('auto_vacuum = incremental')
  db.pragma('journal_mode = wal')
  db.pragma('synchronous = full')
  db.pragma('cache_size = -8000')
  db.pragma(`wal_autocheckpoint = ${FALLBACK_PAGES}`)
  db.pragma('journal_size_limit = 67108864')
  // What rows said does not stay in the file when they go, on pages that become free neither.
  db.pragma('secure_delete = on')
  return db
}

/**
 * Holds a lock of its own beside the file for as long as this process lives, however it ends: two hubs on one file
 * would each hand out the same deliveries. Throws SQLITE_BUSY when another hub holds it.
 */
export function lockOut(path: string): Database.Database {
  makeFolder(dirname(path))
  makePrivate(`${path}.lock`)
  const lock = new Database(`${path}.lock`, { timeout: 100 })
  try {
    lock.pragma('journal_mode = delete')
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    throw error
  }
  return lock
}

/** Whether the file is a store of Tillbridge, of whatever version. */
export function isStore(db: Database.Database): boolean {
  return db.prepare(`select 1 from sqlite_master where name = '__drizzle_migrations'`).get() !== undefined
}

/** How many of the program's migrations the file lacks; negative: a newer program wrote it. */
export function missingMigrations(db: Database.Database): number {
  const journal = JSON.parse(readFileSync(`${MIGRATIONS}/meta/_journal.json`, 'utf8')) as { entries: unknown[] }
  if (!isStore(db)) return journal.entries.length
  const applied = db.prepare<[], { n: number }>('select count(*) as n from __drizzle_migrations').get()
  return journal.entries.length - (applied?.n ?? 0)
}

/** Opens the file for reading only; null while there is none. The system caches the file once for all: each reader keeps little. */
export function openForReading(path: string): Database.Database | null {
  if (!existsSync(path)) return null
  const db = new Database(path, { readonly: true, timeout: LOCK_WAIT })
  db.pragma('cache_size = -2000')
  return db
}

/** On a read-only disk Node says ENOENT where it was to make parents too; EROFS is what it means. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    throw code === 'ENOENT'
      ? Object.assign(new Error(`Cannot make ${path}.`, { cause: error }), { code: 'EROFS' })
      : error
  }
}
