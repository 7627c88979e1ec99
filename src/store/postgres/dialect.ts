import { sql } from 'drizzle-orm'
import type { Dialect } from '../reading/dialect.ts'
import { shared as tables } from './schema.ts'

export const postgresDialect: Dialect = {
  tables,
  isOfOrder: (entity) => sql`${entity} like 'order:%'`,
  isTrue: (column) => sql`${column}`,
  isUndone: () => sql`latest_wins and state in ('waiting', 'claimed', 'dead', 'skipped')`,
  // No range: `<` depends on the collation, `like` indexes do not.
  startsWith: (text, beginning) => sql`${text} like ${`${escaped(beginning)}%`}`,
  isAtOrBelow: (text, path) => sql`(${text} = ${path} or ${text} like ${`${escaped(path)}/%`})`,
  rangesAfter: (day, id, row) => [sql`(${day}, ${id}) > (${row.day}, ${row.id})`],
  attemptsOfInstant: [sql`${tables.attempts}.id`],
  // Ranges of blocks; a row's place changes with each write.
  people: {
    row: () => sql`ctid::text`,
    stretch: (table, after) => ({
      isIn: sql`ctid >= ${`(${after},0)`}::tid and ctid < ${`(${after + BLOCKS},0)`}::tid`,
      next: sql`(case when pg_relation_size(${table}::regclass) / current_setting('block_size')::int > ${after + BLOCKS}::bigint
        then ${after + BLOCKS}::bigint end)`,
    }),
    // `offset` computes it once per row. Collation "C" lowers ASCII only.
    said: (columns) =>
      sql`(select lower(concat_ws(chr(10), ${sql.join([...columns], sql`, `)}) collate "C") as said offset 0)`,
    hasText: (said, text) => sql`strpos(${said}, ${text}) > 0`,
  },
}

/** Blocks per statement, few because of long texts and the statement timeout. */
const BLOCKS = 200

function escaped(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}
