import { directory } from '../../tables/tables.ts'
import { createTables } from '../tables.ts'
import { serveSnapshots } from './serve-reads.ts'

serveSnapshots((db) => createTables(db).methods(directory))
