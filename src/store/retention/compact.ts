import { UserError } from '../../domain/values/errors.ts'
import { fileOf, isPostgres } from '../open.ts'
import { type Compacted, compactFile } from '../sqlite/file/compact.ts'

/** Writes the store of a hub that is stopped anew, without the room that nothing uses. Throws a UserError where it is in no file. */
export function compactStore(url: string): Compacted {
  if (isPostgres(url))
    throw new UserError('store.url names a PostgreSQL database: its autovacuum uses the room again that rows leave.')
  return compactFile(fileOf(url))
}
