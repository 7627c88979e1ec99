import { UserError } from '../../domain/values/errors.ts'
import { preferCommonJs } from '../../lib/prefer-commonjs.ts'
import { startThread } from '../../lib/thread.ts'
import { fileOf, isPostgres } from '../open.ts'
import { missingMigrations, openForReading } from '../sqlite/file/connection.ts'
import { codeOf, describeUnavailable, isUnavailable } from '../sqlite/file/unavailable.ts'
import { createReader } from '../sqlite/reads/reader.ts'
import type { Reading } from './reading.ts'

export type StoreReading = Reading & AsyncDisposable

/**
 * Opens a storage read-only beside its hubs, without migration or lock; UserError where it is unreadable or of another
 * version.
 */
export async function openReading(url: string): Promise<StoreReading> {
  if (url.startsWith('file:')) return openSqliteReading(fileOf(url))
  if (!isPostgres(url)) throw new UserError('store.url names no store: use file:… or postgres://…')
  preferCommonJs('drizzle-orm')
  const { openPostgresReading } = await import('../postgres/reading.ts')
  return await openPostgresReading(url)
}

function openSqliteReading(path: string) {
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
    throw new UserError(`The store cannot be read: ${describeUnavailable(codeOf(error), path)}.`, { cause: error })
  }
}
