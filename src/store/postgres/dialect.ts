import { asc, sql } from 'drizzle-orm'
import type { Dialect } from '../reading/dialect.ts'
import { attempts } from './schema.ts'
import { tables } from './server/tables.ts'

/** The queries of what people read, in PostgreSQL's words; conditions of partial indexes are those of schema.ts. */
export const postgresDialect: Dialect = {
  tables,
  isOfOrder: (entity) => sql`${entity} like 'order:%'`,
  isTrue: (column) => sql`${column}`,
  isUndone: () => sql`latest_wins and state in ('waiting', 'claimed', 'dead', 'skipped')`,
  inHex: (bytes) => sql`encode(${bytes}, 'hex')`,
  ofHex: (text) => sql`decode(${text}, 'hex')`,
  // No range: what `<` says depends on the language of the database, and an index for `like` does not.
  startsWith: (text, beginning) => sql`${text} like ${`${escaped(beginning)}%`}`,
  isAtOrBelow: (text, path) => sql`(${text} = ${path} or ${text} like ${`${escaped(path)}/%`})`,
  // As one: with the day given, the server might read ids by the primary key, and other sets with them.
  rangesAfter: (day, id, row) => [sql`(${day}, ${id}) > (${row.day}, ${row.id})`],
  attemptsOfInstant: [asc(attempts.id)],
  // Stretches of blocks: the place of a row in the file, which changes whenever it is written.
  people: {
    row: () => sql`ctid::text`,
    stretch: (table, after) => ({
      isIn: sql`ctid >= ${`(${after},0)`}::tid and ctid < ${`(${after + BLOCKS},0)`}::tid`,
      next: sql`(case when pg_relation_size(${table}::regclass) / current_setting('block_size')::int > ${after + BLOCKS}::bigint
        then ${after + BLOCKS}::bigint end)`,
    }),
    // With an offset it is put together once a row, and not once for each text. In "C", letters of ASCII alone become small.
    said: (columns) =>
      sql`(select lower(concat_ws(chr(10), ${sql.join([...columns], sql`, `)}) collate "C") as said offset 0)`,
    hasText: (said, text) => sql`strpos(${said}, ${text}) > 0`,
  },
}

/** Blocks of a table that are searched in one statement: few, since a row may have long texts beside it, and the server limits its time. */
const BLOCKS = 200

/** Text as a pattern that nothing but it matches. */
function escaped(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}
