import { preferCommonJs } from '../../../lib/prefer-commonjs.ts'
import { serveSnapshots } from './serve-reads.ts'

preferCommonJs('drizzle-orm')
const { drizzle } = await import('drizzle-orm/better-sqlite3')
const { createScreens } = await import('../../reading/screens.ts')
const { sqliteDialect } = await import('../dialect.ts')

serveSnapshots((db) => createScreens(drizzle(db), sqliteDialect))
