import type { Database } from 'better-sqlite3'
import type { LookupRow } from '../screens.ts'

/** The questions of tills about orders. It runs inside a transaction of the caller. */
export function createLookups(db: Database) {
  const add = db.prepare('insert into lookups (at, number, found, missing, ms) values (?,?,?,?,?)')

  return {
    noteLookup({ at, number, found, missing, ms }: LookupRow): void {
      add.run(at, number, JSON.stringify(found), JSON.stringify(missing), Math.round(ms))
    },
  }
}
