import type { Database } from 'better-sqlite3'
import { ISOLATED_AT } from '../../domain/queue/delivery.ts'

export type InFlight = ReturnType<typeof createInFlight>

/** What begins and ends between two writes is never written. */
export function createInFlight() {
  const current = new Set<number>()
  const written = new Set<number>()
  const changed = new Set<number>()
  return {
    current,
    written,
    begin(deliveries: readonly number[]): void {
      for (const id of deliveries) {
        current.add(id)
        changed.add(id)
      }
    },
    end(delivery: number): void {
      if (current.delete(delivery)) changed.add(delivery)
    },
    hasChanged: () => changed.size > 0,
    takeChanged(): number[] {
      const all = [...changed]
      changed.clear()
      return all
    },
  }
}

export function createInFlightRows(db: Database, inFlight: InFlight) {
  const add = db.prepare('insert into in_flight (delivery_id) values (?) on conflict do nothing')
  const remove = db.prepare('delete from in_flight where delivery_id = ?')
  const countCrashes = db.prepare(
    `update deliveries set crashes = crashes + 1
       where id in (select delivery_id from in_flight) and state in ('waiting', 'claimed') and crashes < ${ISOLATED_AT}`,
  )
  const clear = db.prepare('delete from in_flight')

  return {
    /** Not synced: it must outlive the process, not a power cut. */
    write(): void {
      const { current, written } = inFlight
      db.pragma('synchronous = normal')
      try {
        db.exec('begin immediate')
        for (const id of inFlight.takeChanged()) {
          if (current.has(id) === written.has(id)) continue
          if (current.has(id)) add.run(id)
          else remove.run(id)
          if (!written.delete(id)) written.add(id)
        }
        db.exec('commit')
      } finally {
        if (db.inTransaction) db.exec('rollback')
        db.pragma('synchronous = full')
      }
    },

    /** At start: rows are deliveries in flight when the process died. Isolated ones were counted by `markIsolated`. */
    takeOver(): void {
      countCrashes.run()
      clear.run()
    },
  }
}
