import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { UserError } from '../../domain/values/errors.ts'
import { formatInstant, type Instant } from '../../domain/values/instant.ts'
import { fileOf, isPostgres } from '../open.ts'
import { type Restored, restoreFile } from '../sqlite/file/restore.ts'

/** Replaces the storage of a stopped hub by a backup and keeps the old files beside it. Throws a UserError. */
export function restoreStore(url: string, backup: string, now: Instant): Restored & { file: string } {
  if (isPostgres(url))
    throw new UserError(
      'store.url names a PostgreSQL database: its own tools restore it, with all hubs stopped, into an empty database (pg_restore; docs/operations.md).',
    )
  const [file, from] = [fileOf(url), resolve(backup)]
  if (!existsSync(from)) throw new UserError(`There is no ${from}.`)
  if (existsSync(file) && realpathSync(file) === realpathSync(from))
    throw new UserError(`${from} is the store itself: name a copy.`)
  // A copy made by "tillbridge backup" has none.
  if (existsSync(`${from}-wal`))
    throw new UserError(
      `${from}-wal lies beside it: a part of it is there, and it is no copy that "tillbridge backup" made. Run that on it first.`,
    )
  const mark = `before-${formatInstant(now).replace(/[:.]/g, '-')}`
  return { file, ...restoreFile(file, from, mark) }
}
