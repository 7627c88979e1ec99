/** How far a copy has come: in rows, then in tables that are counted. */
export interface CopyStep {
  doing: 'copying' | 'finishing'
  done: number
  of: number
}

/** A copy that was made: what, from where and to where. */
export interface CopyReport {
  file: string
  /** Host and database, and the schema there. */
  server: string
  schema: string
  /** Rows: the file has as many as PostgreSQL. */
  tables: { table: string; file: number; postgres: number }[]
}

/** A copy was begun and not finished; the message says why, and what is there now. */
export class CopyError extends Error {
  override name = 'CopyError'
}
