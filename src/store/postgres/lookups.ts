import type { LookupRow } from '../screens.ts'
import { type Database, prepared } from './server/database.ts'

const add = prepared('insert into lookups (at, number, found, missing, ms) values ($1, $2, $3, $4, $5)')

/** The questions of tills about orders. */
export function createLookups(db: Database) {
  return {
    async noteLookup({ at, number, found, missing, ms }: LookupRow): Promise<void> {
      await db.query(add, [at, number, JSON.stringify(found), JSON.stringify(missing), Math.round(ms)])
    },
  }
}
