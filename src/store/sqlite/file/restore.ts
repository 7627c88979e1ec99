import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { UserError } from '../../../domain/values/errors.ts'
import { isStore, lockOut, missingMigrations } from './connection.ts'
import { makePrivate } from './private-file.ts'
import { describeUnavailable, isUnavailable } from './unavailable.ts'

/** The files that are of a store, and of no other: beside a copy, SQLite would lay the pages of a `-wal` over others of it. */
const OWN = ['', '-wal', '-shm', '-journal']

export interface Restored {
  /** Where what was there lies now. */
  aside: string[]
}

/**
 * Puts a copy in the place of a store whose hub is stopped, and what was there aside, under names that end in `mark`. Nothing is
 * changed before the copy was found whole, of a version that this program reads, and written beside. Throws a UserError that says why not.
 */
export function restoreFile(path: string, from: string, mark: string): Restored {
  try {
    const lock = lockOut(path)
    using _ = { [Symbol.dispose]: () => lock.close() }
    const written = `${path}.restoring`
    rmSync(written, { force: true })
    try {
      makePrivate(written)
      copyFileSync(from, written)
      // What is looked at is what will stand there.
      checkWhole(written, from)
      flush(written)
      return { aside: replace(path, written, mark) }
    } finally {
      for (const end of ['', '-wal', '-shm']) rmSync(written + end, { force: true })
    }
  } catch (error) {
    if (!isUnavailable(error)) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw new UserError(`Nothing was restored: ${describeUnavailable(code, path)}. Stop its hub first.`, {
      cause: error,
    })
  }
}

function checkWhole(copy: string, name: string): void {
  try {
    const db = new Database(copy, { readonly: true })
    using _ = { [Symbol.dispose]: () => db.close() }
    const wrong = db.pragma('integrity_check(1)', { simple: true })
    if (wrong !== 'ok') throw new UserError(`${name} is broken (${wrong}): nothing was restored.`)
    if (!isStore(db)) throw new UserError(`${name} is no store of Tillbridge: nothing was restored.`)
    if (missingMigrations(db) < 0)
      throw new UserError(`${name} was written by a newer Tillbridge: use that version. Nothing was restored.`)
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error
    throw new UserError(`${name} is broken, or no database (${error.message}): nothing was restored.`, { cause: error })
  }
}

/** The store's own file goes last, and comes back where the copy cannot take its place. */
function replace(path: string, written: string, mark: string): string[] {
  const moved: [from: string, to: string][] = []
  try {
    for (const end of OWN.toReversed()) {
      const [from, to] = [path + end, `${path}.${mark}${end}`]
      if (!existsSync(from)) continue
      renameSync(from, to)
      moved.push([from, to])
    }
    renameSync(written, path)
  } catch (error) {
    for (const [from, to] of moved.toReversed()) renameSync(to, from)
    throw error
  }
  flush(dirname(path))
  return moved.map(([, to]) => to).reverse()
}

/** It is on the disk, whatever happens to the machine. */
function flush(path: string): void {
  // Windows has no handles of folders.
  if (process.platform === 'win32') return
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
