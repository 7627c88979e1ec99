/** How far a copy has come: in bytes of the file that are read, in rows, in tables, in rows again. */
export interface CopyStep {
  doing: 'reading' | 'copying' | 'finishing' | 'verifying'
  done: number
  of: number
}

/** What a copy found when it began. */
export interface CopyBegun {
  /** Rows that an unfinished copy has brought there already; it goes on behind them. */
  there: number
  /** Rows of the file. */
  of: number
  /** The file of which there was an unfinished copy that cannot be gone on with: it was another, or has changed. It is gone. */
  dropped: string | null
}

/** A copy that was made: what, from where and to where. */
export interface CopyReport {
  file: string
  /** Host and database, and the schema there. */
  server: string
  schema: string
  /** Rows: the file has as many as PostgreSQL, and they are the same (`equal`: a report of others is never made). */
  tables: { table: string; file: number; postgres: number; equal: true }[]
}

/** A copy was begun and not finished; the message says why, and what is there now. */
export class CopyError extends Error {
  override name = 'CopyError'
}

/** Rows in PostgreSQL are not those of the file. */
export class DifferenceError extends Error {
  override name = 'DifferenceError'
}
