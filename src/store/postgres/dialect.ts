import { asc, sql } from 'drizzle-orm'
import type { Dialect } from '../reading/dialect.ts'
import { attempts } from './schema.ts'
import { tables } from './server/tables.ts'

/** The queries of what people read, in PostgreSQL's words; conditions of partial indexes are those of schema.ts. */
export const postgresDialect: Dialect = {
  tables,
  isOfOrder: (entity) => sql`${entity} like 'order:%'`,
  isTrue: (column) => sql`${column}`,
  inHex: (bytes) => sql`encode(${bytes}, 'hex')`,
  ofHex: (text) => sql`decode(${text}, 'hex')`,
  // No range: what `<` says depends on the language of the database, and an index for `like` does not.
  startsWith: (text, beginning) => sql`${text} like ${`${escaped(beginning)}%`}`,
  isAtOrBelow: (text, path) => sql`(${text} = ${path} or ${text} like ${`${escaped(path)}/%`})`,
  // As one: with the day given, the server might read ids by the primary key, and other sets with them.
  rangesAfter: (day, id, row) => [sql`(${day}, ${id}) > (${row.day}, ${row.id})`],
  attemptsOfInstant: [asc(attempts.id)],
}

/** Text as a pattern that nothing but it matches. */
function escaped(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}
