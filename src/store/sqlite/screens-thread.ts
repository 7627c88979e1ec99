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
