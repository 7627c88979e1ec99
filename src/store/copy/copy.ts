import { UserError } from '../../domain/values/errors.ts'
import { preferCommonJs } from '../../lib/prefer-commonjs.ts'
import { fileOf, isPostgres } from '../open.ts'
import type { CopyOptions, CopyReport } from './report.ts'
import { checkSource } from './source.ts'

/**
 * Copies a SQLite storage into an empty PostgreSQL schema in one transaction, verified by table hashes. UserError
 * before it begins; CopyError: nothing was written.
 */
export async function copyStore(options: CopyOptions): Promise<CopyReport> {
  const { from, to } = options
  if (!from.startsWith('file:')) throw new UserError('--from names no file: use file:./data/tillbridge.db')
  // It may hold a password: not repeated.
  if (!isPostgres(to)) throw new UserError('--to names no PostgreSQL database: use postgres://user@host:5432/database')
  const file = fileOf(from)
  checkSource(file)
  // Loaded on demand, as by openStore.
  preferCommonJs('drizzle-orm')
  const { copyFile } = await import('./copy-file.ts')
  return await copyFile(file, options)
}
