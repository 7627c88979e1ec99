import type { Column, SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { MirrorCursor } from '../../domain/catalogue/mirror.ts'
import type { Place } from '../people/places.ts'
import type { Tables } from '../schema.ts'

/*
 * Read models are one query text for both engines, typed as SQLite's (drizzle's builders are alike so far). Schemas
 * and drivers are imported as types only, so that neither engine loads the other's.
 */

export type Db = Pick<BetterSQLite3Database, 'select'>

/** Mostly conditions of partial indexes, which must match word for word. */
export interface Dialect {
  tables: Tables
  isOfOrder(entity: Column): SQL
  isTrue(column: Column): SQL
  isUndone(): SQL
  /** One index range; `beginning` ends in an ASCII character. */
  startsWith(text: Column, beginning: string): SQL
  /** `path` itself or below it, by an index. */
  isAtOrBelow(text: Column, path: string): SQL
  /** Rows after one, by (day, id), as successive index ranges. */
  rangesAfter(day: Column, id: Column, row: MirrorCursor): SQL[]
  attemptsOfInstant: SQL[]
  people: {
    row(place: Place): SQL
    /** A range of the table and where the next begins. Null: rows are identified by their columns only. */
    stretch(table: string, after: number, place: Place): { isIn: SQL; next: SQL<number | null> } | null
    said(columns: readonly SQL[]): SQL
    hasText(said: SQL, text: string): SQL
  }
}
