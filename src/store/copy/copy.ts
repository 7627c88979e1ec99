import { UserError } from '../../domain/values/errors.ts'
import { preferCommonJs } from '../../lib/prefer-commonjs.ts'
import type { StartThread } from '../../lib/thread.ts'
import { fileOf, isPostgres } from '../open.ts'
import type { Limits } from './copy-file.ts'
import type { CopyBegun, CopyReport, CopyStep } from './report.ts'
import { checkSource } from './source.ts'

export interface CopyOptions {
  /** `file:…`, on which no hub works. */
  from: string
  /** `postgres://…`, with an empty schema or none. */
  to: string
  progress?: (step: CopyStep) => void
  /** Told once, when it is known what is to be done. */
  begun?: (begun: CopyBegun) => void
  /** For tests: smaller slices, and less patience. */
  limits?: Partial<Limits>
  /** How the threads of the file are started, which is opened once as a hub does. */
  startThread?: StartThread
}

/**
 * Copies an SQLite store into an empty PostgreSQL store, ids and all, and goes on with a copy that was broken off. Throws a
 * UserError where it cannot begin, and a CopyError where it could not be finished: then no hub works on what is there.
 */
export async function copyStore(options: CopyOptions): Promise<CopyReport> {
  const { from, to, progress = () => {}, begun = () => {}, limits = {}, startThread } = options
  if (!from.startsWith('file:')) throw new UserError('--from names no file: use file:./data/tillbridge.db')
  // The text given instead may hold a password: it is not repeated.
  if (!isPostgres(to)) throw new UserError('--to names no PostgreSQL database: use postgres://user@host:5432/database')
  const file = fileOf(from)
  checkSource(file)
  // Loaded by those who use it alone, as by openStore.
  preferCommonJs('drizzle-orm')
  const { copyFile } = await import('./copy-file.ts')
  return await copyFile(file, to, { progress, begun }, limits, startThread)
}
