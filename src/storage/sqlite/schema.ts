import { sql } from 'drizzle-orm'
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import type { Dialect } from '../read-models/dialect.ts'
import { createSchema } from '../schema.ts'
import { sqliteKit } from './schema-kit.ts'

export const shared = createSchema(sqliteKit)

/* Tables are exported one by one for drizzle-kit. */
export const { events, submissions, payloads, keys, goneEvents, legalHolds, deliveries } = shared
export const { acknowledged, attempts, links, pauses, audit } = shared
export const { auditDeliveries, auditEvents, searchKeys, searchIndex, jobs, jobRuns, apiKeys } = shared
export const { stores, endpointUses, customers, customerCount, lookups, mirror, findings, gaps, covered } = shared
export const { watermarks, auditChain, bulkActs, consoleUsers, consoleSessions } = shared

/** One row: keys of later events are only in their rows. */
export const keysMerged = sqliteTable('keys_merged', { upTo: integer('up_to').notNull() })

/** Rows at start were in flight when the process died. */
export const inFlight = sqliteTable('in_flight', { deliveryId: integer('delivery_id').primaryKey() })

export const sqliteDialect: Dialect = {
  tables: shared,
  isOfOrder: (entity) => sql`${entity} glob 'order:*'`,
  isTrue: (column) => sql`${column} = 1`,
  // `like` ignores ASCII case, and `glob` cannot escape.
  startsWith: (text, beginning) => sql`(${text} >= ${beginning} and ${text} < ${next(beginning)})`,
  // One range: for `or` SQLite reads the whole index. "0" follows "/".
  isAtOrBelow: (text, path) =>
    sql`(${text} >= ${path} and ${text} < ${`${path}0`} and (${text} = ${path} or ${text} >= ${`${path}/`}))`,
  // Two conditions: for `(day, id) > (?, ?)` the index serves the day only.
  rangesAfter: (day, id, row) => [sql`${day} = ${row.day} and ${id} > ${row.id}`, sql`${day} > ${row.day}`],
  people: {
    row: ({ isKeyed }) => (isKeyed ? sql`''` : sql`rowid`),
    stretch: (table, after, { isKeyed }) =>
      isKeyed
        ? null
        : {
            isIn: sql`rowid > ${after} and rowid <= ${after + STRETCH}`,
            // Ids may have large gaps.
            next: sql`(select min(rowid) - 1 from ${sql.raw(table)} where rowid > ${after + STRETCH})`,
          },
    // `limit` computes it once per row. SQLite lowers ASCII only.
    said: (columns) => sql`(select lower(concat_ws(char(10), ${sql.join([...columns], sql`, `)})) as said limit 1)`,
    hasText: (said, text) => sql`instr(${said}, ${text}) > 0`,
  },
}

const STRETCH = 20_000

function next(beginning: string): string {
  return beginning.slice(0, -1) + String.fromCharCode(beginning.charCodeAt(beginning.length - 1) + 1)
}
