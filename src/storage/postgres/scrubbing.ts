import {
  type Pages,
  PERSONAL_TABLE_NAMES,
  type PersonalTableName,
  type Scrubbed,
  searchRows,
} from '../personal-places.ts'
import { type Database, prepared } from './server/database.ts'

const measured = prepared<{ what: string; bytes: number }>(
  'select t as what, pg_total_relation_size(t::regclass) as bytes from unnest($1::text[]) as t',
)

const NOT_PROMISED = [
  'The server’s WAL files, archives of them and replicas have the old rows until they are recycled.',
  'After VACUUM the room is used for new rows; bytes of old ones stay in it until they are written over. "VACUUM FULL" by hand writes the tables anew.',
]

/** Vacuums tables and searches rows; the server's files cannot be read. */
export function createScrubbing(db: Pick<Database, 'vacuum' | 'query'>, pages: Pages) {
  return async (
    texts: readonly string[],
    places: readonly PersonalTableName[] = PERSONAL_TABLE_NAMES,
  ): Promise<Scrubbed> => {
    const isAll = places === PERSONAL_TABLE_NAMES
    const failed = await db.vacuum([...places, ...(isAll ? ['payload_blocks', 'search_blocks'] : [])])
    const sizes = await db.query(measured, [[...places]])
    const rows = await searchRows(pages, places, texts)
    return {
      searched: [...sizes.map(({ what, bytes }) => ({ what, bytes: Number(bytes) })), ...rows.searched],
      found: rows.found,
      warnings: [...NOT_PROMISED, ...failed.map(notVacuumed), ...rows.warnings],
    }
  }
}

function notVacuumed({ table, error }: { table: string; error: unknown }): string {
  return `${table} could not be vacuumed (${error instanceof Error ? error.message : error}): do it by hand.`
}
