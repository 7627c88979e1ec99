import { existsSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import Database from 'better-sqlite3'
import { UserError } from '../domain/errors.ts'
import { fileOf, isPostgres } from './open.ts'
import { makePrivate } from './sqlite/private-file.ts'

/**
 * Writes a copy of the store that an address names, as it is at one moment, also while a hub works on it. Throws a
 * UserError where there is no store, or where something stands in the copy's place already. Its owner alone may read it.
 */
export function backUp(url: string, to: string): void {
  if (isPostgres(url))
    throw new UserError(
      'store.url names a PostgreSQL database: back that up with pg_dump, or as your other databases (docs/operations.md).',
    )
  const from = fileOf(url)
  if (!existsSync(from)) throw new UserError(`There is no ${from} to back up yet (store.url).`)
  if (existsSync(to)) throw new UserError(`${resolve(to)} is there already: name a file that is not.`)
  const db = new Database(from, { readonly: true })
  // SQLite writes into an empty file, and leaves its rights as they are.
  makePrivate(resolve(to))
  try {
    db.prepare('vacuum into ?').run(resolve(to))
  } catch (error) {
    rmSync(to, { force: true })
    throw error
  } finally {
    db.close()
  }
}
