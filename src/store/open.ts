import { resolve } from 'node:path'
import { UserError } from '../domain/errors.ts'
import { openSqliteStore, type SqliteOptions } from './sqlite/store.ts'
import type { Store } from './store.ts'

/** Opens the store that an address names: `file:./data/tillbridge.db`. */
export function openStore(url: string, options: Omit<SqliteOptions, 'path'>): Promise<Store> {
  if (!url.startsWith('file:'))
    throw new UserError(`store.url: ${url} names no store that this version knows; use file:…`)
  return openSqliteStore({ ...options, path: resolve(url.slice('file:'.length)) })
}
