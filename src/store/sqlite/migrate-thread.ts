import { workerData } from 'node:worker_threads'
import { preferCommonJs } from '../../lib/prefer-commonjs.ts'
import { MIGRATIONS, openForWriting } from './connection.ts'
import { failure, serve } from './serve.ts'

/* Applies the migrations a file lacks. It ends afterwards, and gives back the memory that drizzle takes. */

preferCommonJs('drizzle-orm')
const { drizzle } = await import('drizzle-orm/better-sqlite3')
const { migrate } = await import('drizzle-orm/better-sqlite3/migrator')

serve((operations) => {
  try {
    const db = openForWriting((workerData as { path: string }).path)
    migrate(drizzle(db), { migrationsFolder: MIGRATIONS })
    db.close()
    return operations.map(() => ({ value: null }))
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return operations.map(() => failure(cause))
  }
})
