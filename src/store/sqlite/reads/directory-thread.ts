import { directory } from '../../tables/tables.ts'
import { createTables } from '../tables.ts'
import { serveReads } from './serve-reads.ts'

/* Reads customers and API keys, in a thread of its own: see directory.ts. */

serveReads((db) => createTables(db).methods(directory))
