import { sql } from 'drizzle-orm'
import type { Dialect } from '../reading/dialect.ts'
import * as tables from './schema.ts'

/** The queries of what people read, in SQLite's words; conditions of partial indexes are to the letter those of schema.ts. */
export const sqliteDialect: Dialect = {
  tables,
  isOfOrder: (entity) => sql`${entity} glob 'order:*'`,
  isTrue: (column) => sql`${column} = 1`,
  isUndone: () => sql`latest_wins = 1 and state in ('waiting', 'dead', 'skipped')`,
  inHex: (bytes) => sql`lower(hex(${bytes}))`,
  ofHex: (text) => sql`unhex(${text})`,
  // A range, because `like` here takes A for a, and `glob` has no way to escape its signs.
  startsWith: (text, beginning) => sql`(${text} >= ${beginning} and ${text} < ${next(beginning)})`,
  // One range, too: of an `or` SQLite would read the whole index. "0" is the character after "/".
  isAtOrBelow: (text, path) =>
    sql`(${text} >= ${path} and ${text} < ${`${path}0`} and (${text} = ${path} or ${text} >= ${`${path}/`}))`,
  // Two, because of `(day, id) > (?, ?)` SQLite compares only the day by the index, and all of that day would be read.
  rangesAfter: (day, id, row) => [sql`${day} = ${row.day} and ${id} > ${row.id}`, sql`${day} > ${row.day}`],
  attemptsOfInstant: [sql`${tables.attempts}.rowid`],
  people: {
    row: ({ isKeyed }) => (isKeyed ? sql`''` : sql`rowid`),
    stretch: (table, after, { isKeyed }) =>
      isKeyed
        ? null
        : {
            isIn: sql`rowid > ${after} and rowid <= ${after + STRETCH}`,
            // Ids may be far apart: the next stretch begins before the next row that is there.
            next: sql`(select min(rowid) - 1 from ${sql.raw(table)} where rowid > ${after + STRETCH})`,
          },
    // With a limit it is put together once a row, and not once for each text. SQLite makes no letters small but those of ASCII.
    said: (columns) => sql`(select lower(concat_ws(char(10), ${sql.join([...columns], sql`, `)})) as said limit 1)`,
    hasText: (said, text) => sql`instr(${said}, ${text}) > 0`,
  },
}

/** Rows that are looked through in one question. */
const STRETCH = 20_000

/** The first text after all that begin so. */
function next(beginning: string): string {
  return beginning.slice(0, -1) + String.fromCharCode(beginning.charCodeAt(beginning.length - 1) + 1)
}
