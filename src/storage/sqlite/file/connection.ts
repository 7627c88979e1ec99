import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { orElse } from '../../../lib/or-else.ts'

export const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url))
/** Two or three webhooks a page. 4 KB: a tenth fewer events a second; 16 KB: the same. */
const PAGE_SIZE = 8192
/** WAL pages before a commit checkpoints itself (64 MB): see pipe.ts. */
const FALLBACK_PAGES = 8_000
const LOCK_WAIT = 1_000

export function openForWriting(path: string): Database.Database {
  makeFolder(dirname(path))
  makePrivate(path)
  return open(path)
}

/** Reopens without creating: an empty file in its place would take over the log beside it. */
export function openAgain(path: string): Database.Database {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw Object.assign(new Error(`There is no ${path} any more.`), { code: 'SQLITE_CANTOPEN' })
  return open(path)
}

function open(path: string): Database.Database {
  const db = new Database(path, { timeout: LOCK_WAIT })
  db.pragma(`page_size = ${PAGE_SIZE}`)
  // New files only: freed pages go back to the disk (docs/adr/0018-retention.md).
  db.pragma('auto_vacuum = incremental')
  db.pragma('journal_mode = wal')
  db.pragma('synchronous = full')
  db.pragma('cache_size = -8000')
  db.pragma(`wal_autocheckpoint = ${FALLBACK_PAGES}`)
  db.pragma('journal_size_limit = 67108864')
  // Deleted content is zeroed, on free pages too.
  db.pragma('secure_delete = on')
  return db
}

/**
 * An exclusive lock beside the file until this process ends: two hubs on one file would both deliver. Throws
 * SQLITE_BUSY.
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

export function isStore(db: Database.Database): boolean {
  return db.prepare(`select 1 from sqlite_master where name = '__drizzle_migrations'`).get() !== undefined
}

/** Negative: a newer program wrote it. */
export function missingMigrations(db: Database.Database): number {
  const journal = JSON.parse(readFileSync(`${MIGRATIONS}/meta/_journal.json`, 'utf8')) as { entries: unknown[] }
  if (!isStore(db)) return journal.entries.length
  const applied = db.prepare<[], { n: number }>('select count(*) as n from __drizzle_migrations').get()
  return journal.entries.length - (applied?.n ?? 0)
}

export function openForReading(path: string): Database.Database | null {
  if (!existsSync(path)) return null
  const db = new Database(path, { readonly: true, timeout: LOCK_WAIT })
  db.pragma('cache_size = -2000')
  return db
}

/** On a read-only disk Node reports ENOENT for recursive mkdir. */
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

const PRIVATE_FOLDER = 0o700

/** Creates an empty file for its owner only; SQLite gives its own files the same rights. */
export function makePrivate(path: string): void {
  orElse(() => closeSync(openSync(path, 'wx', 0o600)), null)
}
