import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import Database from 'better-sqlite3'
import { UserError } from '../domain/errors.ts'

/**
 * Writes a copy of the store that an address names, as it is at one moment, also while a hub works on it. Throws a
 * UserError where there is no store, or where something stands in the copy's place already.
 */
export function backUp(url: string, to: string): void {
  const from = resolve(url.slice('file:'.length))
  if (!existsSync(from)) throw new UserError(`There is no ${from} to back up yet (store.url).`)
  if (existsSync(to)) throw new UserError(`${resolve(to)} is there already: name a file that is not.`)
  const db = new Database(from, { readonly: true })
  try {
    db.prepare('vacuum into ?').run(resolve(to))
  } finally {
    db.close()
  }
}
