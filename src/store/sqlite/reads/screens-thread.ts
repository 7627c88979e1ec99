import { preferCommonJs } from '../../../lib/prefer-commonjs.ts'
import { serveSnapshots } from './serve-reads.ts'

/* Reads for people, in a thread of its own: a slow list keeps neither the hub nor the writer waiting. */

preferCommonJs('drizzle-orm')
const { drizzle } = await import('drizzle-orm/better-sqlite3')
const { createScreens } = await import('../../reading/screens.ts')
const { sqliteDialect } = await import('../dialect.ts')

serveSnapshots((db) => createScreens(drizzle(db), sqliteDialect))
