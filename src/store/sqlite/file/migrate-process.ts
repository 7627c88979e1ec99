import { preferCommonJs } from '../../../lib/prefer-commonjs.ts'
import { failure } from '../../serve.ts'
import { MIGRATIONS, openForWriting } from './connection.ts'

/*
 * Applies the migrations a file lacks, in a process of its own: drizzle and what it leaves behind would otherwise be a
 * tenth of the hub's memory for as long as it runs, for something that is needed once a version.
 */

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
