import { UserError } from '../../domain/values/errors.ts'
import { preferCommonJs } from '../../lib/prefer-commonjs.ts'
import { fileOf, isPostgres } from '../open.ts'
import { openSqliteReading } from '../sqlite/file/open-reading.ts'
import type { createReading } from './reading.ts'

/** A store that is read, and never written to; each question sees one moment. */
export type StoreReading = ReturnType<typeof createReading> & AsyncDisposable

/**
 * Opens the store that an address names for reading alone, also while hubs work on it: nothing in it is changed, no migration is
 * made, and no lock keeps a hub out. Throws a UserError where it cannot be read, or is of another version.
 */
export async function openReading(url: string): Promise<StoreReading> {
  if (url.startsWith('file:')) return openSqliteReading(fileOf(url))
  if (!isPostgres(url)) throw new UserError('store.url names no store: use file:… or postgres://…')
  preferCommonJs('drizzle-orm')
  const { openPostgresReading } = await import('../postgres/server/open-reading.ts')
  return await openPostgresReading(url)
}
