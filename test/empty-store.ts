import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStorage, type SqliteOptions } from '../src/storage/sqlite/storage.ts'
import type { Storage } from '../src/storage/storage.ts'
import { startWarmThread } from './warm-threads.ts'

let migrated: Promise<Buffer> | null = null

/** A file with today's tables and no rows, where there is none yet: to migrate is most of what a hub does at its first start. */
export async function writeEmptyStore(path: string): Promise<void> {
  migrated ??= makeEmptyStore()
  const empty = await migrated
  if (!existsSync(path)) await writeFile(path, empty, { mode: 0o600 })
}

/** A store on a file, which is made where there is none yet. */
export async function openTestStore(path: string, options: Partial<SqliteOptions> = {}): Promise<Storage> {
  await writeEmptyStore(path)
  return await openOn(path, options)
}

async function makeEmptyStore(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'tillbridge-empty-'))
  const path = join(folder, 'empty.db')
  const storage = await openOn(path)
  await storage[Symbol.asyncDispose]()
  const empty = await readFile(path)
  await rm(folder, { recursive: true })
  return empty
}

function openOn(path: string, options: Partial<SqliteOptions> = {}): Promise<Storage> {
  return openSqliteStorage({ path, sameBytesWindow: 0, startThread: startWarmThread, ...options })
}
