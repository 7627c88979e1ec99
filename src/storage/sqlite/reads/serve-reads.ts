import type { Database } from 'better-sqlite3'
import type { Operation, Result } from '../../../lib/thread.ts'
import { failure, inTurn, serve } from '../../serve.ts'
import { openForReading } from '../file/connection.ts'

export function serveSnapshots(create: (db: Database) => object): void {
  serve(({ path }: { path: string }) => {
    const { find, close } = questionsOf(path, create)
    return { run: inTurn(answer), end: close }

    async function answer(operation: Operation): Promise<Result> {
      try {
        const { db, ask } = find(operation)
        // One snapshot: else a row and its attempts could be of two moments.
        db.exec('begin')
        try {
          return { value: await ask() }
        } finally {
          if (db.inTransaction) db.exec('rollback')
        }
      } catch (error) {
        return failure(error instanceof Error && error.cause instanceof Error ? error.cause : error)
      }
    }
  })
}

function questionsOf(path: string, create: (db: Database) => object) {
  let open: { db: Database; methods: Record<string, (...args: unknown[]) => unknown> } | null = null

  return {
    find({ method, args }: Operation) {
      open ??= openNow()
      const { db, methods } = open
      const call = methods[method]
      if (!call) throw new Error(`There is no question ${method}.`)
      return { db, ask: () => call(...args) }
    },
    close() {
      open?.db.close()
      open = null
    },
  }

  function openNow() {
    const db = openForReading(path)
    if (!db) throw Object.assign(new Error(`There is no file ${path}.`), { code: 'SQLITE_CANTOPEN' })
    return { db, methods: create(db) as Record<string, (...args: unknown[]) => unknown> }
  }
}
