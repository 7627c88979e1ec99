import { existsSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import Database from 'better-sqlite3'
import { UserError } from '../domain/values/errors.ts'
import { fileOf, isPostgres } from './open.ts'
import { runProcess } from './sqlite/file/child.ts'
import { makePrivate } from './sqlite/file/connection.ts'
import { describeUnavailable, isDamaged, isUnavailableCode } from './sqlite/file/unavailable.ts'

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
  makePrivate(path)
  const looking = setInterval(() => progress(statSync(path).size, of), LOOK)
  try {
    await copyFile(from, path, signal)
  } catch (error) {
    rmSync(path, { force: true })
    rmSync(`${path}-journal`, { force: true })
    throw signal?.aborted ? signal.reason : error
  } finally {
    clearInterval(looking)
  }
}

async function copyFile(from: string, to: string, signal: AbortSignal | undefined): Promise<void> {
  const result = await runProcess(new URL('./sqlite/file/backup-process.ts', import.meta.url), [from, to], { signal })
  if ('error' in result) throw failureOf(result.error, from, to)
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
