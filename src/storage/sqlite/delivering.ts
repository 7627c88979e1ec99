import type { Database } from 'better-sqlite3'
import { HELD_AT, ISOLATED_AT } from '../../domain/queue/delivery.ts'
import type { QueueKey } from '../../domain/queue/queue-key.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { CLAIMED_COLUMNS, type ClaimedDelivery, type ClaimedRow, type ClaimResult, claimedOf } from '../claim.ts'
import type { LoadedItem, QueuePosition } from '../queue/item.ts'
import { acknowledge, compareWithAcknowledged } from '../tables/acknowledging.ts'
import { supersedeOutdated } from '../tables/enqueuing.ts'
import { writeAttempts, writeLinks } from '../tables/notes.ts'
import { type BlockCache, payloadsOf } from '../tables/payloads.ts'
import { type Doubtful, deliverWhereProven, provenFacts } from '../tables/proving.ts'
import { query, statement } from '../tables/statement.ts'
import type { Slices } from './deleting.ts'
import type { KeyTable } from './keys.ts'
import type { RunSteps } from './tables.ts'

const effectsOf = statement<Doubtful>('select id as delivery, effect from deliveries where id = any($1::bigint[])')
/** Proven while in flight in the last process. */
const uncertain = statement<Doubtful>(
  `select id as delivery, effect from deliveries
     where once and state in ('waiting', 'claimed', 'held', 'dead') and state in ('waiting', 'held') and open`,
)

type SettledAs = ClaimResult & { atOnce: boolean }

interface Parts {
  keys: KeyTable
  slices: Pick<Slices, 'begin'>
  inFlight: InFlight
  run: RunSteps
}

export function createDelivering(db: Database, { keys, slices, inFlight, run }: Parts) {
  const settleDelivery = db.prepare(
    `update deliveries set state = ?, due_at = ?, open = ?, tries = ?, finds = ?, failing_since = ?,
       first_tried_at = coalesce(?, first_tried_at, ?), crashes = ?, took_ms = ?, took_note = ?, settled_at = ?, code = ?, why = ?
       where id = ? and (state in ('waiting', 'claimed') or state = 'superseded' and ? = 'delivered')`,
  )
  const loadQueue = db.prepare<[string, string, number, number, number], LoadedRow>(
    `select ${CLAIMED_COLUMNS}, d.state, d.due_at as dueAt, coalesce(d.digest, d.version) is not null as digested,
       d.unless is not null as guarded, d.yields, e.submission, e.size, p.body
     from deliveries d indexed by deliveries_unsettled
       join events e on e.id = d.event_id left join payloads p on p.event_id = d.event_id
     where d.destination = ? and d.urgency = ? and (d.event_id, d.id) > (?, ?)
       and d.state in ('waiting', 'claimed', 'held', 'dead') and d.state <> 'dead'
     order by d.event_id, d.id limit ?`,
  )
  const countOpen = db.prepare<[], { destination: string; open: number }>(
    `select destination, count(*) as open from deliveries indexed by deliveries_unsettled
       where state in ('waiting', 'claimed', 'held', 'dead') and state <> 'dead' group by destination`,
  )
  const noteTakenBack = db.prepare(
    `insert into attempts (delivery_id, at, ms, outcome, code, note)
       select id, ?, 0, 'unknown', 'lease-over', 'the hub that had it did not come back in time'
         from deliveries indexed by deliveries_unsettled
         where state in ('waiting', 'claimed', 'held', 'dead') and state = 'claimed'`,
  )
  const takeBack = db.prepare(
    `update deliveries indexed by deliveries_unsettled set state = 'waiting'
       where state in ('waiting', 'claimed', 'held', 'dead') and state = 'claimed'`,
  )
  const markIsolated = db.prepare(
    `update deliveries set crashes = crashes + case when id = @delivery then 1 else -1 end
       where id = @delivery or id = @harmlessBefore and crashes = ${HELD_AT}`,
  )
  const hasAcknowledged = db.prepare('select 1 from acknowledged limit 1')
  const forgetWaiting = db.prepare(
    `update acknowledged set digest = null where (destination, flow, subject) in
       (select a.destination, a.flow, a.subject from deliveries d indexed by deliveries_unsettled
          cross join acknowledged a
            on a.destination = d.destination and a.flow = d.flow and a.subject = coalesce(d.subject, d.entity)
          where d.state in ('waiting', 'claimed', 'held', 'dead') and d.state = 'waiting' and a.digest <> d.digest)`,
  )
  const takeOffWire = db.prepare(
    `update deliveries set state = 'waiting', open = ?, due_at = ?, first_tried_at = ? where id = ? and state = 'claimed'`,
  )

  function deliverProven(deliveries: readonly number[], now: Instant): ReadonlySet<number> {
    const doubtful = deliveries.length === 0 ? [] : run(query(effectsOf, [deliveries]))
    return run(deliverWhereProven(keys.store, doubtful, now))
  }

  return {
    /**
     * Writes JSON of `SettledAs[]`; false: decided elsewhere meanwhile (the attempt is still written). Delivered wins
     * over superseded; in doubt becomes delivered if proven. `digested`: destination per result with digest or
     * version.
     */
    settle(results: string, now: Instant, digested: (string | null)[] | null): boolean[] {
      const all = JSON.parse(results) as SettledAs[]
      const applied = all.map(({ delivery, next, attempt, atOnce, crashes = 0 }) => {
        if (inFlight.current.delete(delivery)) inFlight.changed.add(delivery)
        const settledAt = next.state === 'waiting' || next.state === 'held' ? null : now
        const { changes } = settleDelivery.run(
          next.state,
          next.dueAt,
          next.open ? 1 : 0,
          next.tries,
          next.finds,
          next.failingSince,
          atOnce ? attempt.at : null,
          attempt.at,
          crashes,
          atOnce ? Math.round(attempt.ms) : null,
          atOnce ? attempt.note : null,
          settledAt,
          attempt.code,
          next.why,
          delivery,
          next.state,
        )
        return changes === 1
      })
      const dead = all.filter(({ next }) => next.state === 'dead').map(({ delivery }) => delivery)
      if (dead.length > 0) run(supersedeOutdated(dead, now))
      const compared = all.flatMap((result, index) => {
        const destination = digested?.[index]
        return destination ? [{ result, destination }] : []
      })
      if (compared.length > 0) run(acknowledge(compared))
      const tried = all.filter(({ atOnce }, index) => !applied[index] || !atOnce)
      if (tried.length > 0) run(writeAttempts(tried))
      const links = all.flatMap((result) => result.links)
      if (links.length > 0) run(writeLinks(links))
      const doubtful = all.filter(({ next }, index) => applied[index] && next.open).map(({ delivery }) => delivery)
      const proven = doubtful.length > 0 ? deliverProven(doubtful, now) : new Set<number>()
      return all.map(({ delivery }, index) => applied[index] === true && !proven.has(delivery))
    },

    markIsolated: (delivery: number, harmlessBefore: number | null): void =>
      void markIsolated.run({ delivery, harmlessBefore }),

    /** Releases unused claims; returns the ids of those proven delivered meanwhile. */
    offWire(claims: Pick<ClaimedDelivery, 'id' | 'open' | 'firstTriedAt'>[], now: Instant): number[] {
      for (const { id, open, firstTriedAt } of claims) takeOffWire.run(open ? 1 : 0, now, firstTriedAt, id)
      const doubtful = claims.filter(({ open }) => open).map(({ id }) => id)
      return [...deliverProven(doubtful, now)]
    },

    /** A queue's open deliveries after a place, in event order. `isCut`: out of time. */
    load(queueKey: QueueKey, after: QueuePosition, items: number, bytes: number) {
      const loaded: LoadedItem[] = []
      const hasTime = slices.begin()
      let size = 0
      for (const row of loadQueue.iterate(queueKey.destination, queueKey.urgency, after.event, after.delivery, items)) {
        loaded.push(toItem(row))
        size += row.body?.byteLength ?? 0
        const isFull = size >= bytes
        if (isFull || !hasTime()) return { items: loaded, last: false, isCut: !isFull }
      }
      return { items: loaded, last: loaded.length < items, isCut: false }
    },

    /**
     * At start: whatever is on the wire was so when the process died. Its attempt ends `unknown`: it may still take
     * effect.
     */
    takeBack(now: Instant): void {
      noteTakenBack.run(now)
      takeBack.run()
    },

    /** At start, with the keys. */
    deliverProven(now: Instant): void {
      run(deliverWhereProven(keys.store, run(query(uncertain)), now))
    },

    /** At start: what waits with another state may have been on the wire when the process died. */
    forgetWaiting(): void {
      if (hasAcknowledged.get()) forgetWaiting.run()
    },

    pending: (): { destination: string; open: number }[] => countOpen.all(),
  }
}

type LoadedRow = ClaimedRow &
  Record<'dueAt' | 'digested' | 'guarded' | 'yields' | 'size', number> & {
    state: 'waiting' | 'claimed' | 'held'
    submission: number | null
    body: Buffer | null
  }

function toItem(row: LoadedRow): LoadedItem {
  return {
    ...claimedOf(row),
    body: row.body,
    size: row.body?.byteLength ?? row.size,
    dueAt: row.dueAt,
    state: row.state === 'held' ? 'held' : 'waiting',
    digested: row.digested === 1,
    guarded: row.guarded === 1,
    own: row.submission !== null,
    yields: row.yields === 1,
  }
}

interface Needed {
  bodies: number[]
  once: number[]
  digested: number[]
  guarded: number[]
  until: Instant
}

interface PreparingParts {
  blocks: BlockCache
  keys: KeyTable
  run: RunSteps
}

export function createPreparing(db: Database, { blocks, keys, run }: PreparingParts) {
  const markOnWire = db.prepare(
    `update deliveries set state = 'claimed', open = 1, due_at = ?, first_tried_at = coalesce(first_tried_at, ?)
       where id = ? and state = 'waiting'`,
  )
  const isWaiting = db.prepare<[number], { waiting: 1 }>(
    `select 1 as waiting from deliveries where id = ? and state = 'waiting'`,
  )

  const getUnless = db.prepare<[number], { unless: string | null }>('select unless from deliveries where id = ?')

  function unlessOf(delivery: number): string[] {
    const list = getUnless.get(delivery)?.unless
    return list ? JSON.parse(list) : []
  }

  return {
    prepare({ bodies, once, digested, guarded, until }: Needed, now: Instant) {
      // Before the marks end the waiting.
      const known = digested.length > 0 ? run(compareWithAcknowledged(digested)) : null
      const compared = digested.map((id) => ({ waits: isWaiting.get(id) !== undefined, ...known?.get(id) }))
      const payloads = bodies.length > 0 ? run(payloadsOf(bodies, blocks)) : null
      const guards = guarded.map(unlessOf)
      const proven = guards.length > 0 ? run(provenFacts(keys.store, guards.flat())) : new Map<string, number>()
      return {
        bodies: bodies.map((event) => payloads?.get(event)?.body ?? null),
        marked: once.map((id) => markOnWire.run(until, now, id).changes === 1),
        compared,
        invalidated: guards.map((facts) => proven.get(facts.find((fact) => proven.has(fact)) ?? '') ?? null),
      }
    },
  }
}

/** Deliveries; `changed`: since the last write. What begins and ends between two writes is never written. */
export interface InFlight {
  current: Set<number>
  written: Set<number>
  changed: Set<number>
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
        const changed = [...inFlight.changed]
        inFlight.changed.clear()
        for (const id of changed) {
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
