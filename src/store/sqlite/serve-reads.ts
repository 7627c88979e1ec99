import type { Database } from 'better-sqlite3'
import type { Operation, Result } from '../../lib/thread.ts'
import { openForReading } from './connection.ts'
import { failure, serve } from './serve.ts'

/** Answers questions from the file, which is opened by the first of them. `create` makes the methods that read it. */
export function serveReads(path: string, create: (db: Database) => object): void {
  let open: { db: Database; methods: Record<string, (...args: unknown[]) => unknown> } | null = null

  serve((operations) => operations.map(answer))

  function answer({ method, args }: Operation): Result {
    try {
      open ??= openNow()
      const { db, methods } = open
      const call = methods[method]
      if (!call) throw new Error(`There is no question ${method}.`)
      // One snapshot a question: a commit between two of its queries would show a row and the attempts of another moment.
      return { value: db.transaction(() => call(...args))() }
    } catch (error) {
      return failure(error instanceof Error && error.cause instanceof Error ? error.cause : error)
    }
  }

  function openNow() {
    const db = openForReading(path)
    if (!db) throw new Error(`There is no file ${path}.`)
    return { db, methods: create(db) as Record<string, (...args: unknown[]) => unknown> }
  }
}
