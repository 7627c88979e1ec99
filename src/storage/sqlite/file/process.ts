import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { formatInstant } from '../../../domain/values/instant.ts'
import { foldBytes } from '../../../domain/values/text.ts'
import { preferCommonJs } from '../../../lib/prefer-commonjs.ts'
import { failure, type Result } from '../../../lib/thread.ts'
import { payloadsIn } from '../../payload.ts'
import { countTexts } from '../../personal-places.ts'
import { isStore, MIGRATIONS, makePrivate, missingMigrations, openForWriting } from './connection.ts'

/* What is done to the file in a process of its own: `process.ts <task>`, whose arguments are sent to it (child.ts). */

export interface ByteFinds {
  what: string
  bytes: number
  found: number
}

const tasks = {
  /** Only the end of its process can stop the one statement. */
  backup(from: string, to: string): null {
    const db = new Database(from, { readonly: true })
    db.prepare('vacuum into ?').run(to)
    db.close()
    return null
  },

  /** An older version's storage is copied first, for whoever must go back. drizzle would stay a tenth of the hub's memory. */
  async migrate(path: string): Promise<null> {
    preferCommonJs('drizzle-orm')
    const { drizzle } = await import('drizzle-orm/better-sqlite3')
    const { migrate } = await import('drizzle-orm/better-sqlite3/migrator')
    const db = openForWriting(path)
    const saved = isStore(db) && missingMigrations(db) > 0 ? saveBefore(db, path) : null
    try {
      migrate(drizzle(db), { migrationsFolder: MIGRATIONS })
    } catch (error) {
      // The storage is as it was: another copy at each attempt would fill the disk.
      if (saved !== null) rmSync(saved, { force: true })
      throw error
    }
    db.close()
    return null
  },

  /** Closing a file drops all locks of the process on it. */
  async search(path: string, texts: readonly string[]): Promise<ByteFinds[]> {
    const wanted = texts.map((text) => Buffer.from(text))
    const files = Object.entries({ store: path, wal: `${path}-wal` }).filter(([, file]) => existsSync(file))
    const finds: ByteFinds[] = []
    for (const [what, file] of files) finds.push({ what, ...(await searchFile(file, wanted)) })
    return finds
  },
}

export type Tasks = typeof tasks

/**
 * Under its name only when it is whole: whoever ends the process leaves a part, which the next attempt removes. One that
 * outlived its hub then misses its own, and fails.
 */
function saveBefore(db: Database.Database, path: string): string {
  const [folder, copy] = [dirname(path), `${basename(path)}.before-upgrade-`]
  const isPart = (name: string) => name.startsWith(copy) && /\.part(-journal)?$/.test(name)
  for (const name of readdirSync(folder).filter(isPart)) rmSync(join(folder, name), { force: true })
  const to = join(folder, copy + formatInstant(Date.now()).replace(/[:.]/g, '-'))
  const part = `${to}.part`
  makePrivate(part)
  try {
    db.prepare('vacuum into ?').run(part)
    renameSync(part, to)
  } catch (error) {
    for (const file of [part, `${part}-journal`]) rmSync(file, { force: true })
    throw error
  }
  return to
}

const CHUNK = 16 * 1024 * 1024
/** Of what lies in a page, which a compressed payload does that was not too large for it. */
const PAGE = 64 * 1024

async function searchFile(file: string, texts: readonly Buffer[]): Promise<{ bytes: number; found: number }> {
  const overlap = texts.reduce((most, { length }) => Math.max(most, length), PAGE) + 1
  await using handle = await open(file, 'r')
  const buffer = Buffer.alloc(overlap + CHUNK + overlap)
  let found = 0
  for (let from = 0; ; from += CHUNK) {
    const before = Math.min(from, overlap)
    const size = before + CHUNK + overlap
    const { bytesRead } = await handle.read(buffer, 0, size, from - before)
    const bytes = buffer.subarray(0, bytesRead)
    for (const said of payloadsIn(bytes, before, before + CHUNK)) found += countTexts(foldBytes(said), texts)
    found += countTexts(foldBytes(bytes), texts, before, before + CHUNK)
    if (bytesRead <= before + CHUNK) return { bytes: from - before + bytesRead, found }
  }
}

async function run(task: keyof Tasks, args: unknown[]): Promise<Result> {
  try {
    return { value: await (tasks[task] as (...args: unknown[]) => unknown)(...args) }
  } catch (error) {
    return failure(error instanceof Error && error.cause instanceof Error ? error.cause : error)
  }
}

process.once('disconnect', () => process.exit())
process.once('message', async (args: unknown[]) => {
  const result = await run(process.argv[2] as keyof Tasks, args)
  process.send?.(result, () => process.disconnect())
})
