import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { UserError } from '../../../domain/values/errors.ts'
import { lockOut, missingMigrations, openForWriting } from './connection.ts'
import { describeUnavailable, isUnavailable } from './unavailable.ts'

/** Bytes of the file before and after. */
export interface Compacted {
  before: number
  after: number
}

/**
 * Writes the file of a hub that is stopped anew, without the room that nothing uses, so that it can shrink by itself from then on. It
 * takes as long as to copy it, and as much room again. Throws a UserError where a hub has the file, there is none, or no room.
 */
export function compactFile(path: string): Compacted {
  let before = sizeOf(path)
  try {
    const lock = lockOut(path)
    using _ = { [Symbol.dispose]: () => lock.close() }
    const db = openForWriting(path)
    using __ = { [Symbol.dispose]: () => db.close() }
    if (missingMigrations(db) < 0) throw new UserError(`${path} was written by a newer Tillbridge: use that version.`)
    db.pragma('wal_checkpoint(truncate)')
    before = sizeOf(path)
    db.pragma('auto_vacuum = incremental')
    db.exec('vacuum')
    // With it goes what an erasure left to the night (people/scrubbing.ts).
    db.pragma('user_version = 0')
    db.pragma('wal_checkpoint(truncate)')
  } catch (error) {
    if (!isUnavailable(error)) throw error
    const code = error instanceof Database.SqliteError ? error.code : ''
    throw new UserError(`The store cannot be compacted: ${describeUnavailable(code, path)}. Stop its hub first.`, {
      cause: error,
    })
  }
  return { before, after: sizeOf(path) }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch (error) {
    throw new UserError(`There is no ${path}.`, { cause: error })
  }
}
