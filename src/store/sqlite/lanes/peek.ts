import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { KeptStore } from '../../kept.ts'

/** The file's knowledge of the platform. */
interface Peek extends Disposable {
  stores(): KeptStore[]
  /** Whether a job of this name ever succeeded. */
  hasSucceeded(job: string): boolean
  /** Whether those of this one were. */
  hasLevelsOf(stockId: string): boolean
}

/**
 * Looks into the file of a store that somebody else may be at work on, and leaves nothing behind (a reader that shares the write-ahead log
 * would make it where there is none). Null: there is no such file, or it cannot be read.
 */
export function peekInto(path: string): Peek | null {
  try {
    const db = lookInto(path)
    return db && { ...questions(db), [Symbol.dispose]: () => db.close() }
  } catch {
    return null
  }
}

/** Whether a file is there that is no database. */
export function isNoDatabase(path: string): boolean {
  try {
    using db = lookInto(path)
    db?.prepare('select 1 from sqlite_master').get()
    return false
  } catch (error) {
    return error instanceof Error && 'errcode' in error && error.errcode === NOT_A_DATABASE
  }
}

/** As SQLite numbers it. */
const NOT_A_DATABASE = 26

function lookInto(path: string): DatabaseSync | null {
  if (!existsSync(path)) return null
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  if (log && log.size > 0 && !existsSync(`${path}-shm`)) return null
  const address = pathToFileURL(path)
  if (!log || log.size === 0) address.searchParams.set('immutable', '1')
  return new DatabaseSync(address, { readOnly: true })
}

function questions(db: DatabaseSync): Omit<Peek, keyof Disposable> {
  const stores = db.prepare(
    `select store_id as storeId, number, name, stock_id as stockId, country_code as countryCode, currency, zone,
       gone_at as goneAt from stores order by store_id`,
  )
  const levels = db.prepare(`select 1 from mirror where set_name = 'stock' and place = ? limit 1`)
  const succeeded = db.prepare('select 1 from jobs where name = ? and succeeded_at is not null')
  return {
    hasSucceeded: (job) => succeeded.get(job) !== undefined,
    stores: () => stores.all() as unknown as KeptStore[],
    hasLevelsOf: (stockId) => levels.get(stockId) !== undefined,
  }
}
