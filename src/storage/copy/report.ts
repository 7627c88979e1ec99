import type { StartThread } from '../../lib/thread.ts'

export interface CopyOptions {
  from: string
  to: string
  progress?: (step: CopyStep) => void
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
  server: string
  schema: string
  tables: { table: string; file: number; postgres: number; equal: true }[]
}

export class CopyError extends Error {
  override name = 'CopyError'
}
