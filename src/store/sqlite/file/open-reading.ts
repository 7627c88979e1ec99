import { UserError } from '../../../domain/values/errors.ts'
import { startThread } from '../../../lib/thread.ts'
import { createReader } from '../reads/reader.ts'
import { missingMigrations, openForReading } from './connection.ts'
import { describeUnavailable, isUnavailable } from './unavailable.ts'

/** Reads a file that a hub may have open; UserError where there is none of this version. */
export function openSqliteReading(path: string) {
  const missing = missingIn(path)
  if (missing > 0)
    throw new UserError(`${path} is of an older Tillbridge: start the hub once, which brings it up to date.`)
  if (missing < 0) throw new UserError(`${path} was written by a newer Tillbridge: use the command of that version.`)
  return createReader(path, startThread)
}

function missingIn(path: string): number {
  try {
    const db = openForReading(path)
    if (!db) throw new UserError(`There is no ${path} to read yet (store.url).`)
    using _ = { [Symbol.dispose]: () => db.close() }
    return missingMigrations(db)
  } catch (error) {
    if (!isUnavailable(error)) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw new UserError(`The store cannot be read: ${describeUnavailable(code, path)}.`, { cause: error })
  }
}
