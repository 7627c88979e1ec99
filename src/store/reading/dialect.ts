import type { Column, SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { MirrorCursor } from '../../domain/catalogue/mirror.ts'
import type { Place } from '../people/places.ts'
import type * as schema from '../sqlite/schema.ts'

/*
 * What people read is asked for in the same words of SQLite and of PostgreSQL. The types are SQLite's: drizzle's builders
 * of both are alike as far as these queries go. Nothing here imports a schema or a driver but for its types, so that
 * neither store loads the other's.
 */

/** The database that queries are put to, or a transaction in it. */
export type Db = Pick<BetterSQLite3Database, 'select'>

/** The tables that people read. Those of PostgreSQL have the same rows (postgres/tables.ts). */
export type Tables = Pick<
  typeof schema,
  | 'acknowledged'
  | 'attempts'
  | 'audit'
  | 'auditDeliveries'
  | 'auditEvents'
  | 'customers'
  | 'deliveries'
  | 'deliveryShapes'
  | 'events'
  | 'findings'
  | 'gaps'
  | 'jobRuns'
  | 'legalHolds'
  | 'links'
  | 'lookups'
  | 'mirror'
  | 'pastDeliveries'
  | 'payloadBlocks'
  | 'payloads'
  | 'searchBlocks'
  | 'searchIndex'
  | 'searchKeys'
  | 'stores'
  | 'submissions'
>

/** Where the two differ, mostly in how the condition of a partial index is said: it is used where a query has the same words. */
export interface Dialect {
  tables: Tables
  /** The condition of the indexes that hold orders alone. */
  isOfOrder(entity: Column): SQL
  isTrue(column: Column): SQL
  /** Levels that are not told yet, or were given up: the condition of the index that holds nothing else. */
  isUndone(): SQL
  /** Bytes as text in hex, in small letters; and the other way round. */
  inHex(bytes: Column): SQL
  ofHex(text: string): SQL
  /** By one range of an index. `beginning` ends in a sign of ASCII. */
  startsWith(text: Column, beginning: string): SQL
  /** The text is `path`, or goes on after it with a slash; by an index. */
  isAtOrBelow(text: Column, path: string): SQL
  /** The rows after one, where days come in order, and ids within a day; as ranges of an index, one after the other. */
  rangesAfter(day: Column, id: Column, row: MirrorCursor): SQL[]
  /** The order in which attempts of one instant were written. */
  attemptsOfInstant: SQL[]
  /** Rows of whatever table, by what the engine itself knows them by, and what they say. */
  people: {
    row(place: Place): SQL
    /**
     * The rows of a stretch of the table behind a place, and where the next one begins (null: there is none). Null: the engine knows rows
     * of that table by what they say alone.
     */
    stretch(table: string, after: number, place: Place): { isIn: SQL; next: SQL<number | null> } | null
    /** The columns in one, in small letters, as something that a condition may name `said`. */
    said(columns: readonly SQL[]): SQL
    hasText(said: SQL, text: string): SQL
  }
}
