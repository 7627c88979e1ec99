import { directory } from '../../tables/tables.ts'
import { createTables } from '../tables.ts'
import { serveReads } from './serve-reads.ts'

serveReads((db) => createTables(db).methods(directory))
