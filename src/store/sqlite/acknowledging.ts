import type { Database } from 'better-sqlite3'
import type { Settlement } from '../store.ts'

/** What destinations acknowledged last, by its digest. It runs inside a transaction of the caller. */
export function createAcknowledging(db: Database) {
  const same = db.prepare<[string, number], { same: 1 }>(
    `select 1 as same from deliveries d join acknowledged a
       on a.destination = ? and a.flow = d.flow and a.entity = d.entity and a.digest = d.digest
       where d.id = ? and d.force = 0`,
  )
  const put = db.prepare(
    `insert into acknowledged (destination, flow, entity, digest)
       select ?, flow, entity, digest from deliveries where id = ? and digest is not null
       on conflict do update set digest = excluded.digest`,
  )
  const forgetAt = db.prepare(
    `delete from acknowledged where destination = ?
       and (flow, entity) = (select flow, entity from deliveries where id = ?)`,
  )
  const forget = db.prepare(
    `delete from acknowledged where (destination, flow, entity) =
       (select destination, flow, entity from deliveries where id = ? and digest is not null)`,
  )

  const any = db.prepare('select 1 from acknowledged limit 1')
  const forgetWaiting = db.prepare(
    `delete from acknowledged where (destination, flow, entity) in
       (select a.destination, a.flow, a.entity from deliveries d indexed by deliveries_unsettled
          cross join acknowledged a on a.destination = d.destination and a.flow = d.flow and a.entity = d.entity
          where d.state in ('waiting', 'claimed', 'held', 'dead') and d.state = 'waiting' and a.digest <> d.digest)`,
  )

  return {
    /** At start: what waits now, and says something else, may have been on the wire when the last process ended. */
    forgetWaiting(): void {
      if (any.get()) forgetWaiting.run()
    },

    /** Whether the destination acknowledged last what this delivery would bring; never, where it is to be sent anyway. */
    isUnchanged: (delivery: number, destination: string): boolean => same.get(destination, delivery) !== undefined,

    /** What a result says about what the destination has; what may or may not have landed makes that unknown. */
    settled({ delivery, next, attempt, dryRun }: Settlement, destination: string): void {
      if (dryRun) return
      if (next.state === 'delivered') put.run(destination, delivery)
      else if (next.open || attempt.outcome === 'unknown') forgetAt.run(destination, delivery)
    },

    /** A person ends it where it is, and nobody knows whether it is on the wire. */
    forget(delivery: number): void {
      forget.run(delivery)
    },
  }
}

export type Acknowledging = ReturnType<typeof createAcknowledging>
