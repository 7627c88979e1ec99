import { preferCommonJs } from '../../../lib/prefer-commonjs.ts'
import { failure } from '../../../lib/thread.ts'
import { MIGRATIONS, openForWriting } from './connection.ts'

/* A process of its own: drizzle would stay a tenth of the hub's memory. */

preferCommonJs('drizzle-orm')
const { drizzle } = await import('drizzle-orm/better-sqlite3')
const { migrate } = await import('drizzle-orm/better-sqlite3/migrator')

const [path = ''] = process.argv.slice(2)
try {
  const db = openForWriting(path)
  migrate(drizzle(db), { migrationsFolder: MIGRATIONS })
  db.close()
  process.send?.({ value: null })
} catch (error) {
  process.send?.(failure(error instanceof Error && error.cause instanceof Error ? error.cause : error))
}
process.disconnect()
