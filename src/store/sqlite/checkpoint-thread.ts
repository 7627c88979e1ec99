import { workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { failure, serve } from './serve.ts'

/*
 * Copies committed pages from the WAL into the file, beside the writer: done within a commit it would keep every request
 * of that time waiting. What is left of it when the WAL is full is small, and the writer does that itself.
 */

const { path } = workerData as { path: string }
let db: Database.Database | null = null

serve((operations) => {
  try {
    db ??= new Database(path, { fileMustExist: true, timeout: 0 })
    db.pragma('wal_checkpoint(passive)')
    return operations.map(() => ({ value: null }))
  } catch (error) {
    db?.close()
    db = null
    return operations.map(() => failure(error))
  }
})
