import { UserError } from '../../domain/values/errors.ts'
import { preferCommonJs } from '../../lib/prefer-commonjs.ts'
import { fileOf, isPostgres } from '../open.ts'
import { openSqliteReading } from '../sqlite/file/open-reading.ts'
import type { createReading } from './reading.ts'

/** Read-only; each question is one snapshot. */
export type StoreReading = ReturnType<typeof createReading> & AsyncDisposable

/**
 * Opens a storage read-only beside its hubs, without migration or lock; UserError where it is unreadable or of another
 * version.
 */
export async function openReading(url: string): Promise<StoreReading> {
  if (url.startsWith('file:')) return openSqliteReading(fileOf(url))
  if (!isPostgres(url)) throw new UserError('store.url names no store: use file:… or postgres://…')
  preferCommonJs('drizzle-orm')
  const { openPostgresReading } = await import('../postgres/server/open-reading.ts')
  return await openPostgresReading(url)
}
