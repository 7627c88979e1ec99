import { realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { UserError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import { orElse } from '../lib/or-else.ts'
import { preferCommonJs } from '../lib/prefer-commonjs.ts'
import { type StartThread, startThread } from '../lib/thread.ts'
import type { createReading } from './read-models/reading.ts'
import { missingMigrations, openForReading } from './sqlite/file/connection.ts'
import { codeOf, describeUnavailable, isUnavailable } from './sqlite/file/unavailable.ts'
import { createReader } from './sqlite/reads.ts'
import { openSqliteStorage } from './sqlite/storage.ts'
import type { Storage } from './storage.ts'

export interface StorageOptions {
  /** How long identical bytes are duplicates where nothing else identifies them (ms). */
  sameBytesWindow: number
  clock?: () => Instant
  connections?: number
  onOpening?: (problem: string | null) => void
  startThread?: StartThread
}

/**
 * Opens `file:./data/tillbridge.db` or `postgres://user:password@host:5432/database`; UserError where no waiting
 * helps.
 */
export async function openStorage(url: string, options: StorageOptions): Promise<Storage> {
  requirePlace(url)
  if (url.startsWith('file:')) return await openSqliteStorage({ ...options, path: fileOf(url) })
  requirePostgres(url)
  const { openPostgresStorage } = await import('./postgres/storage.ts')
  return await openPostgresStorage({ ...options, url })
}

export function requirePlace(url: string): void {
  if (!url.startsWith('file:')) return
  const path = fileOf(url)
  const why = /[/\\]$/.test(url) ? folderText(path) : whyNoStoreAt(path)
  if (why !== null) throw new UserError(`store.url: ${why}.`)
}

/** Its driver is loaded next. */
function requirePostgres(url: string): void {
  if (!isPostgres(url)) throw new UserError('store.url names no store: use file:… or postgres://…')
  preferCommonJs('drizzle-orm')
}

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/.test(url)
}

/** Symbolic links resolved: SQLite's own files lie beside the real one. */
export function fileOf(url: string): string {
  const path = resolve(url.slice('file:'.length))
  return realPath(path) ?? join(realPath(dirname(path)) ?? dirname(path), basename(path))
}

function realPath(path: string): string | null {
  return orElse(() => realpathSync(path), null)
}

/** Null: a storage can be there, or unknown. Opens nothing: closing a file would drop this process's locks on it. */
function whyNoStoreAt(path: string): string | null {
  const found = lookAt(path)
  if (found === null) return whyNoFileIn(dirname(path))
  if (found.isDirectory()) return folderText(path)
  return found.isFile() ? null : `${path} is no file that can be kept`
}

function folderText(path: string): string {
  return `${path} is a folder: name the file in it, such as ${join(path, 'tillbridge.db')}`
}

function whyNoFileIn(folder: string): string | null {
  const found = lookAt(folder)
  if (found !== null) return found.isDirectory() ? null : `${folder} is no folder, so that no file can be in it`
  return dirname(folder) === folder ? null : whyNoFileIn(dirname(folder))
}

function lookAt(path: string): Stats | null {
  return orElse(() => statSync(path), null)
}

/** Each question is one snapshot. */
export type StorageReading = ReturnType<typeof createReading> & AsyncDisposable

/** Reads a storage beside its hubs, without migration or lock. UserError where it cannot be read or is of another version. */
export async function openReading(url: string): Promise<StorageReading> {
  if (url.startsWith('file:')) {
    const path = fileOf(url)
    requireThisVersion(path, missingIn(path))
    return createReader(path, startThread)
  }
  requirePostgres(url)
  const { openPostgresReading } = await import('./postgres/reading.ts')
  const { where, missing, ...reading } = await openPostgresReading(url)
  await using opened = new AsyncDisposableStack()
  opened.use(reading)
  requireThisVersion(where, missing)
  opened.move()
  return reading
}

/** `missing` migrations; null: there is no storage. */
function requireThisVersion(where: string, missing: number | null): void {
  if (missing === null) throw new UserError(`There is no ${where} to read yet (store.url).`)
  if (missing > 0)
    throw new UserError(`store.url: ${where} is of an older Tillbridge: start a hub once, which brings it up to date.`)
  if (missing < 0)
    throw new UserError(`store.url: ${where} was written by a newer Tillbridge: use the command of that version.`)
}

function missingIn(path: string): number | null {
  try {
    const db = openForReading(path)
    if (!db) return null
    using _ = { [Symbol.dispose]: () => db.close() }
    return missingMigrations(db)
  } catch (error) {
    if (!isUnavailable(error)) throw error
    throw new UserError(`The store cannot be read: ${describeUnavailable(codeOf(error), path)}.`, { cause: error })
  }
}
