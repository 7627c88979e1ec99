import { workerData } from 'node:worker_threads'
import { preferCommonJs } from '../../lib/prefer-commonjs.ts'
import type { Operation, Result } from '../../lib/thread.ts'
import { openForReading } from './connection.ts'
import type { ScreenMethods } from './screens.ts'
import { failure, serve } from './serve.ts'

/* Reads for people, in a thread of its own: a slow list keeps neither the hub nor the writer waiting. */

preferCommonJs('drizzle-orm')
const { drizzle } = await import('drizzle-orm/better-sqlite3')
const { createScreens } = await import('./screens.ts')

const { path } = workerData as { path: string }
let open: ReturnType<typeof openScreens> | null = null

serve((operations) => operations.map(answer))

function answer({ method, args }: Operation): Result {
  try {
    open ??= openScreens()
    const { db, screens } = open
    const call = screens[method as keyof ScreenMethods] as (...args: unknown[]) => unknown
    // One snapshot a question: a commit between two of its queries would show a row and the attempts of another moment.
    return { value: db.transaction(() => call(...args))() }
  } catch (error) {
    return failure(error instanceof Error && error.cause instanceof Error ? error.cause : error)
  }
}

function openScreens() {
  const db = openForReading(path)
  if (!db) throw new Error(`There is no file ${path}.`)
  return { db, screens: createScreens(drizzle(db)) }
}
