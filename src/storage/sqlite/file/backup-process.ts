import Database from 'better-sqlite3'
import { failure } from '../../../lib/thread.ts'

/* A process of its own: only its end can stop the one statement. */

const [from = '', to = ''] = process.argv.slice(2)
try {
  const db = new Database(from, { readonly: true })
  db.prepare('vacuum into ?').run(to)
  db.close()
  process.send?.({ value: null })
} catch (error) {
  process.send?.(failure(error))
}
process.disconnect()
