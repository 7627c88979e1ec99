import { UserError } from '../domain/values/errors.ts'
import { preferCommonJs } from '../lib/prefer-commonjs.ts'
import { startThread } from '../lib/thread.ts'
import { fileOf, isPostgres } from './open.ts'
import type { createReading } from './reading/reading.ts'
import { missingMigrations, openForReading } from './sqlite/file/connection.ts'
import { codeOf, describeUnavailable, isUnavailable } from './sqlite/file/unavailable.ts'
import { createReader } from './sqlite/reads/reader.ts'

/** Each question is one snapshot. */
export type StorageReading = ReturnType<typeof createReading> & AsyncDisposable

/** Reads a storage beside its hubs, without migration or lock. UserError where it cannot be read or is of another version. */
export async function openReading(url: string): Promise<StorageReading> {
  if (url.startsWith('file:')) {
    const path = fileOf(url)
    requireThisVersion(path, missingIn(path))
    return createReader(path, startThread)
  }
  if (!isPostgres(url)) throw new UserError('store.url names no store: use file:… or postgres://…')
  preferCommonJs('drizzle-orm')
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
