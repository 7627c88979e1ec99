import type { Database } from 'better-sqlite3'
import { ISOLATED_AT } from '../../../domain/queue/delivery.ts'

/** The deliveries that are in flight, as the writer's thread was told last. */
export type InFlight = ReturnType<typeof createInFlight>

/** Follows what is in flight, and which of it has a row; what begins and ends between two writes is never written. */
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

/** The rows of what is in flight. */
export function createInFlightRows(db: Database, inFlight: InFlight) {
  const add = db.prepare('insert into in_flight (delivery_id) values (?) on conflict do nothing')
  const remove = db.prepare('delete from in_flight where delivery_id = ?')
  const countCrashes = db.prepare(
    `update deliveries set crashes = crashes + 1
       where id in (select delivery_id from in_flight) and state in ('waiting', 'claimed') and crashes < ${ISOLATED_AT}`,
  )
  const clear = db.prepare('delete from in_flight')

  return {
    /**
     * Writes what has changed, in a transaction of its own that is not synced: it is to outlive the process, and a power cut is no fault
     * of a payload's. The next commit of others syncs it.
     */
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

    /**
     * At start, inside a transaction of the caller: what has a row was in flight when the last process died. What was to run isolated is
     * counted where it ran (`markIsolated`): else it waited for its turn.
     */
    takeOver(): void {
      countCrashes.run()
      clear.run()
    },
  }
}
