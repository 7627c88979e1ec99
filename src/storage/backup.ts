import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { UserError } from '../domain/values/errors.ts'
import { formatInstant, type Instant } from '../domain/values/instant.ts'
import { fileOf, isPostgres } from './open.ts'
import { runProcess } from './sqlite/file/child.ts'
import { isStore, lockOut, makePrivate, missingMigrations } from './sqlite/file/connection.ts'
import { codeOf, describeUnavailable, isDamaged, isUnavailable, isUnavailableCode } from './sqlite/file/unavailable.ts'

interface Options {
  signal?: AbortSignal
  progress?: (done: number, of: number) => void
}

const LOOK = 200

/**
 * Writes a consistent copy of a SQLite storage, also under a running hub, readable by its owner only. Rejects with a
 * UserError an operator can act on, or with the signal's reason.
 */
export async function backUp(url: string, to: string, { signal, progress = () => {} }: Options = {}): Promise<void> {
  if (isPostgres(url))
    throw new UserError(
      'store.url names a PostgreSQL database: back that up with pg_dump, or as your other databases (docs/operations.md).',
    )
  const from = fileOf(url)
  if (!existsSync(from)) throw new UserError(`There is no ${from} to back up yet (store.url).`)
  const path = resolve(to)
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new UserError(`${path} is there already: name a file that is not.`)
  const of = sizeOf(from)
  // Whatever kills it, a file of the name that was asked for is complete.
  const partial = `${path}.partial`
  if (existsSync(partial))
    throw new UserError(`${partial} is of a backup that still runs or was killed: delete it, or name another file.`)
  makePrivate(partial)
  const looking = setInterval(() => progress(statSync(partial, { throwIfNoEntry: false })?.size ?? 0, of), LOOK)
  try {
    const copied = await runProcess('backup', [from, partial], signal)
    if ('error' in copied) throw failureOf(copied.error, from, path)
    flush(partial)
    renameSync(partial, path)
    flush(dirname(path))
  } catch (error) {
    throw signal?.aborted ? signal.reason : error
  } finally {
    clearInterval(looking)
    for (const end of ['', '-journal']) rmSync(partial + end, { force: true })
  }
}

function failureOf({ code, message }: { code: string | null; message: string }, from: string, to: string): Error {
  if (code === null || !isUnavailableCode(code)) return new Error(message)
  if (isDamaged(code)) return new UserError(`There is nothing sound to copy: ${describeUnavailable(code, from)}.`)
  return new UserError(
    `The copy cannot be written: ${describeUnavailable(code, to)}. Make room, or name a file elsewhere.`,
  )
}

function sizeOf(file: string): number {
  const db = new Database(file, { readonly: true })
  try {
    const pragma = (name: string) => Number(db.pragma(name, { simple: true }))
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
  } catch (error) {
    throw error instanceof Database.SqliteError ? failureOf(error, file, file) : error
  } finally {
    db.close()
  }
}

/** Replaces the storage of a stopped hub by a backup and keeps the old files beside it. Throws a UserError. */
export function restoreStorage(url: string, backup: string, now: Instant): { file: string; rejected: string[] } {
  if (isPostgres(url))
    throw new UserError(
      'store.url names a PostgreSQL database: its own tools restore it, with all hubs stopped, into an empty database (pg_restore; docs/operations.md).',
    )
  const [file, from] = [fileOf(url), resolve(backup)]
  if (!existsSync(from)) throw new UserError(`There is no ${from}.`)
  if (existsSync(file) && realpathSync(file) === realpathSync(from))
    throw new UserError(`${from} is the store itself: name a copy.`)
  // A copy made by "tillbridge backup" has none.
  if (existsSync(`${from}-wal`))
    throw new UserError(
      `${from}-wal lies beside it: a part of it is there, and it is no copy that "tillbridge backup" made. Run that on it first.`,
    )
  const mark = `before-${formatInstant(now).replace(/[:.]/g, '-')}`
  return { file, rejected: restoreFile(file, from, mark) }
}

/** Beside a copy, SQLite would replay another database's `-wal` into it. */
const OWN = ['', '-wal', '-shm', '-journal']

/** Changes nothing until the copy is checked and written beside it; old files get names ending in `mark`. */
function restoreFile(path: string, from: string, mark: string): string[] {
  try {
    const lock = lockOut(path)
    using _ = { [Symbol.dispose]: () => lock.close() }
    const written = `${path}.restoring`
    rmSync(written, { force: true })
    try {
      makePrivate(written)
      copyFileSync(from, written)
      checkWhole(written, from)
      flush(written)
      return replace(path, written, mark)
    } finally {
      for (const end of ['', '-wal', '-shm']) rmSync(written + end, { force: true })
    }
  } catch (error) {
    if (!isUnavailable(error)) throw error
    throw new UserError(`Nothing was restored: ${describeUnavailable(codeOf(error), path)}. Stop its hub first.`, {
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

function flush(path: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
