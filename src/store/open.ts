import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { UserError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import { preferCommonJs } from '../lib/prefer-commonjs.ts'
import type { StartThread } from '../lib/thread.ts'
import { folderText, whyNoStoreAt } from './sqlite/file/place.ts'
import { openSqliteStore } from './sqlite/store.ts'
import type { Store } from './store.ts'

export interface StoreOptions {
  /** How long the same bytes are a copy where nothing else tells (milliseconds). */
  sameBytesWindow: number
  /** The time, where the store has no server that says it. */
  clock?: () => Instant
  /** How many connections to its server, where it has one. */
  connections?: number
  /** Told once when the store cannot be opened, and once when it can. */
  onOpening?: (problem: string | null) => void
  /** How the threads of a file are started. */
  startThread?: StartThread
}

/** Opens the store that an address names: `file:./data/tillbridge.db`, or `postgres://user:password@host:5432/database`. Throws a UserError where none can be. */
export async function openStore(url: string, options: StoreOptions): Promise<Store> {
  requirePlace(url)
  if (url.startsWith('file:')) return await openSqliteStore({ ...options, path: fileOf(url) })
  if (!isPostgres(url)) throw new UserError('store.url names no store: use file:… or postgres://…')
  // Loaded by those who use it alone: it takes a quarter of a second, and 40 MB.
  preferCommonJs('drizzle-orm')
  const { openPostgresStore } = await import('./postgres/store.ts')
  return await openPostgresStore({ ...options, url })
}

/** Throws a UserError where an address names a place in which no file of a store can be, whatever is waited for. */
export function requirePlace(url: string): void {
  if (!url.startsWith('file:')) return
  const path = fileOf(url)
  const why = /[/\\]$/.test(url) ? folderText(path) : whyNoStoreAt(path)
  if (why !== null) throw new UserError(`store.url: ${why}.`)
}

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/.test(url)
}

/** The path of the file of a `file:` address: where it lies, and SQLite's own files beside it, whatever links lead there. */
export function fileOf(url: string): string {
  const path = resolve(url.slice('file:'.length))
  return realPath(path) ?? join(realPath(dirname(path)) ?? dirname(path), basename(path))
}

/** Null: there is nothing yet, or it cannot be looked at. */
function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
