import Database from 'better-sqlite3'
import { failure } from '../../serve.ts'

/* Copies a file, in a process of its own: it is one statement, which only the end of its process can stop. */

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
