import type { Database } from 'better-sqlite3'
import type { PackedArrival } from '../../packing.ts'
import { type Going, type GoneEvent, seenAgain, toldOf } from '../../retention/gone.ts'
import type { Slices } from './slice.ts'

interface Row extends Omit<GoneEvent, 'hasKey' | 'quarantined'> {
  hasKey: number
  quarantined: number
}

/** The memory of events that were dropped. It runs inside a transaction of the caller. */
export function createGoneEvents(db: Database, slices: Slices) {
  const find = db.prepare<[number], Row>(
    `select id, lower(hex(told)) as told, lower(hex(body_hash)) as bodyHash, revision, received_at as receivedAt, has_key as hasKey,
       quarantined, conflict_with as conflictWith, submission from gone_events where id = ?`,
  )
  const add = db.prepare(
    `insert or replace into gone_events (id, told, body_hash, revision, received_at, has_key, quarantined, conflict_with, submission)
       values (?, unhex(?), unhex(?), ?, ?, ?, ?, ?, ?)`,
  )
  const drop = db.prepare(
    'delete from gone_events where id in (select id from gone_events where id <= ? order by id limit ?)',
  )

  const next = db.prepare<[number, number], { id: number; receivedAt: number }>(
    `select * from (select * from (select id, received_at as receivedAt from gone_events where id > ? order by id limit 1)
       union all select * from (select id, received_at as receivedAt from events where id > ? order by id limit 1))
       order by id limit 1`,
  )

  return {
    nextReceived: (after: number) => next.get(after, after) ?? null,

    /** The event as an arrival is compared with it; undefined: none of that id was dropped. */
    seenBy(id: number, arrival: PackedArrival) {
      const row = find.get(id)
      if (row === undefined) return undefined
      const gone = { ...row, hasKey: row.hasKey === 1, quarantined: row.quarantined === 1 }
      return { ...seenAgain(gone, arrival), hasKey: row.hasKey }
    },

    find: (id: number): Row | undefined => find.get(id),

    remember(event: Going): void {
      const { id, bodyHash, revision, receivedAt, transportKey, state, conflictWith, submission } = event
      // One that was refused for its size has no hash, and no keys.
      if (bodyHash === '') return
      const [hasKey, isQuarantined] = [transportKey !== null, state === 'quarantined'].map(Number)
      add.run(id, toldOf(event), bodyHash, revision, receivedAt, hasKey, isQuarantined, conflictWith, submission)
    },

    dropKnown: (upTo: number, limit: number): number => slices.repeat(limit, (rows) => drop.run(upTo, rows).changes),
  }
}

export type GoneEvents = ReturnType<typeof createGoneEvents>
