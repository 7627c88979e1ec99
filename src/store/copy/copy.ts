import { UserError } from '../../domain/values/errors.ts'
import { preferCommonJs } from '../../lib/prefer-commonjs.ts'
import { fileOf, isPostgres } from '../open.ts'
import type { CopyOptions, CopyReport } from './report.ts'
import { checkSource } from './source.ts'

/**
 * Copies an SQLite store into an empty PostgreSQL store, ids and all, in one transaction, and compares each table by the hash of its
 * rows before that is committed. Throws a UserError where it cannot begin, and a CopyError where it breaks off: then nothing is there.
 */
export async function copyStore(options: CopyOptions): Promise<CopyReport> {
  const { from, to } = options
  if (!from.startsWith('file:')) throw new UserError('--from names no file: use file:./data/tillbridge.db')
  // The text given instead may hold a password: it is not repeated.
  if (!isPostgres(to)) throw new UserError('--to names no PostgreSQL database: use postgres://user@host:5432/database')
  const file = fileOf(from)
  checkSource(file)
  // Loaded by those who use it alone, as by openStore.
  preferCommonJs('drizzle-orm')
  const { copyFile } = await import('./copy-file.ts')
  return await copyFile(file, options)
}
