import type { StartThread } from '../../lib/thread.ts'

export interface CopyOptions {
  /** `file:…`, on which no hub works. */
  from: string
  /** `postgres://…`, with an empty schema or none. */
  to: string
  progress?: (step: CopyStep) => void
  /** How long to wait for others who hold the schema (milliseconds). */
  lockTimeout?: number
  /** How the threads of the file are started, which is opened once as a hub does. */
  startThread?: StartThread
}

/** Rows that were copied, or read back. */
export interface CopyStep {
  doing: 'copying' | 'verifying'
  done: number
  of: number
}

export interface CopyReport {
  file: string
  /** Host and database, and the schema there. */
  server: string
  schema: string
  /** Rows: the file has as many as PostgreSQL, with the same hash. */
  tables: { table: string; file: number; postgres: number; equal: true }[]
}

/** A copy was begun and not finished; the message says why, and that nothing of it stays. */
export class CopyError extends Error {
  override name = 'CopyError'
}
