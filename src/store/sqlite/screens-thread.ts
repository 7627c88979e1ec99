import { workerData } from 'node:worker_threads'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import type { Operation, Result } from '../../lib/thread.ts'
import { openForReading } from './connection.ts'
import { createScreens, type ScreenMethods } from './screens.ts'
import { failure, serve } from './serve.ts'

/* Reads for people, in a thread of its own: a slow list keeps neither the hub nor the writer waiting. */

const { path } = workerData as { path: string }
let screens: ScreenMethods | null = null

serve((operations) => operations.map(answer))

function answer({ method, args }: Operation): Result {
  try {
    const call = opened()[method as keyof ScreenMethods] as (...args: unknown[]) => unknown
    return { value: call(...args) }
  } catch (error) {
    return failure(error instanceof Error && error.cause instanceof Error ? error.cause : error)
  }
}

function opened(): ScreenMethods {
  if (screens) return screens
  const db = openForReading(path)
  if (!db) throw new Error(`There is no file ${path}.`)
  screens = createScreens(drizzle(db))
  return screens
}
