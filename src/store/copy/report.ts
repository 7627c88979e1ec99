import type { StartThread } from '../../lib/thread.ts'

export interface CopyOptions {
  /** No hub may work on it. */
  from: string
  /** An empty schema or none. */
  to: string
  progress?: (step: CopyStep) => void
  /** Milliseconds. */
  lockTimeout?: number
  startThread?: StartThread
}

export interface CopyStep {
  doing: 'copying' | 'verifying'
  done: number
  of: number
}

export interface CopyReport {
  file: string
  /** Host and database. */
  server: string
  schema: string
  /** Row counts, equal by hash. */
  tables: { table: string; file: number; postgres: number; equal: true }[]
}

/** Broken off; nothing of it stays. */
export class CopyError extends Error {
  override name = 'CopyError'
}
