import type { Database } from 'better-sqlite3'
import type { Arrival } from '../arrival.ts'
import { type ClaimResult, leavesNothing } from '../claim.ts'

interface Compared {
  unchanged: boolean
  outdated: boolean
  untold?: true
}

interface Sent {
  delivery: number
  destination: string
}

/** The state each destination acknowledged last, by digest and version; inside the caller's transaction. */
export function createAcknowledging(db: Database) {
  const compare = db.prepare<[Sent], { unchanged: number | null; outdated: number | null; untold: number }>(
    `select d.force = 0 and a.digest = d.digest as unchanged, a.version > d.version or e.version > d.version as outdated,
         d.force = 0 and a.flow is null and e.flow is null as untold
       from deliveries d
       left join acknowledged a
         on a.destination = @destination and a.flow = d.flow and a.subject = coalesce(d.subject, d.entity)
       left join acknowledged e on e.destination = @destination and e.flow = d.flow and e.subject = d.entity and d.subject <> d.entity
       where d.id = @delivery`,
  )
  // Older states change nothing. A subject may get another name (a customer of the platform becomes one of an own
  // system): its entity keeps the version.
  const put = db.prepare<[Sent]>(
    `insert into acknowledged (destination, flow, subject, digest, version)
       select @destination, flow, coalesce(subject, entity), digest, version from deliveries
         where id = @delivery and (digest is not null or version is not null)
       union all
       select @destination, flow, entity, null, version from deliveries where id = @delivery and version is not null and subject <> entity
       on conflict do update set digest = excluded.digest, version = coalesce(excluded.version, version)
         where version is null or excluded.version is null or excluded.version >= version`,
  )
  const pass = db.prepare<[Sent]>(
    `insert into acknowledged (destination, flow, subject, version)
       select @destination, flow, coalesce(subject, entity), version from deliveries
         where id = @delivery and version is not null and coalesce(subject, entity) is not null
       union all
       select @destination, flow, entity, version from deliveries where id = @delivery and version is not null and subject <> entity
       on conflict do update set version = excluded.version where version is null or excluded.version > version`,
  )
  const tell = db.prepare(
    `insert into acknowledged (destination, flow, subject, digest) values (?,?,?,?)
       on conflict do update set digest = excluded.digest`,
  )
  // A destination that had the same state before still has it.
  const forget = db.prepare<[number, string | null]>(
    `update acknowledged as a set digest = null from deliveries d
       where d.id = ? and a.destination = coalesce(?, d.destination) and a.flow = d.flow
         and a.subject = coalesce(d.subject, d.entity)
         and (d.digest is not null or d.version is not null) and a.digest is not d.digest`,
  )

  const any = db.prepare('select 1 from acknowledged limit 1')
  const forgetWaiting = db.prepare(
    `update acknowledged set digest = null where (destination, flow, subject) in
       (select a.destination, a.flow, a.subject from deliveries d indexed by deliveries_unsettled
          cross join acknowledged a
            on a.destination = d.destination and a.flow = d.flow and a.subject = coalesce(d.subject, d.entity)
          where d.state in ('waiting', 'claimed', 'held', 'dead') and d.state = 'waiting' and a.digest <> d.digest)`,
  )

  return {
    /** At start: what waits with another state may have been on the wire when the process died. */
    forgetWaiting(): void {
      if (any.get()) forgetWaiting.run()
    },

    compare(delivery: number, destination: string): Compared {
      const row = compare.get({ destination, delivery })
      const untold = row?.untold === 1 && ({ untold: true } as const)
      return { unchanged: row?.unchanged === 1, outdated: row?.outdated === 1, ...untold }
    },

    /** One that may or may not have landed makes the state unknown. */
    settled({ delivery, next, attempt, notWhole }: ClaimResult, destination: string): void {
      if (notWhole) return
      if (next.state === 'delivered') put.run({ destination, delivery })
      else if (leavesNothing(attempt)) pass.run({ destination, delivery })
      else if (next.open || attempt.outcome === 'unknown') forget.run(delivery, destination)
    },

    told(acknowledges: NonNullable<Arrival['acknowledges']>): void {
      for (const { destination, flow, subject, digest } of acknowledges) tell.run(destination, flow, subject, digest)
    },

    /** Ended by an operator, perhaps on the wire. */
    forget(delivery: number): void {
      forget.run(delivery, null)
    },
  }
}

export type Acknowledging = ReturnType<typeof createAcknowledging>
