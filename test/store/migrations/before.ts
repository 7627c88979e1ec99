import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import { MIGRATIONS } from '../../../src/store/sqlite/file/connection.ts'
import { temporaryFolder } from '../sqlite/file.ts'

/** The migrations of a program that did not have that one yet, nor any after it, in a folder of their own. */
export function migrationsBefore(tag: string, migrations: string): Disposable & { path: string } {
  const folder = temporaryFolder()
  cpSync(migrations, folder.path, { recursive: true })
  const file = join(folder.path, 'meta', '_journal.json')
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { tag: string }[] }
  const index = journal.entries.findIndex((entry) => entry.tag === tag)
  if (index < 0) throw new Error(`There is no migration ${tag}.`)
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, index) }))
  return folder
}

/** A file as such a program left it. `fill`: what it wrote. */
export function createFileBefore(tag: string, path: string, fill: string): void {
  using before = migrationsBefore(tag, MIGRATIONS)
  const db = new Database(path)
  try {
    migrate(drizzle(db), { migrationsFolder: before.path })
    db.exec(fill)
  } finally {
    db.close()
  }
}
