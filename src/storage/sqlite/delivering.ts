import type { Database } from 'better-sqlite3'
import { HELD_AT, ISOLATED_AT } from '../../domain/queue/delivery.ts'
import type { QueueKey } from '../../domain/queue/queue-key.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { ClaimedDelivery } from '../claim.ts'
import { LOADED_COLUMNS, type LoadedRow, loadedItem } from '../queue/loading.ts'
import type { LoadedItem, QueuePosition } from '../queue/queue.ts'
import type { OutcomeOf } from '../queue/queues.ts'
import { compareWithAcknowledged } from '../tables/acknowledging.ts'
import { type BlockCache, payloadsOf } from '../tables/payloads.ts'
import { type Doubtful, deliverWhereProven, followOutcomes, provenFacts } from '../tables/proving.ts'
import { query, statement } from '../tables/statement.ts'
import type { KeyTable } from './accepting.ts'
import type { Slices } from './deleting.ts'
import type { RunSteps } from './tables.ts'

/** Proven while in flight in the last process. */
const uncertain = statement<Doubtful>(
  `select id as delivery, effect from deliveries
     where once and state in ('waiting', 'claimed', 'held', 'dead') and state in ('waiting', 'held') and open`,
)

interface Parts {
  keys: KeyTable
  slices: Pick<Slices, 'begin'>
  inFlight: InFlight
  run: RunSteps
}

export function createDelivering(db: Database, { keys, slices, inFlight, run }: Parts) {
  const { current, changed, ended } = inFlight
  const settleDelivery = db.prepare(
    `update deliveries set state = ?, due_at = ?, open = ?, tries = ?, finds = ?, failing_since = ?,
       first_tried_at = coalesce(?, first_tried_at, ?), crashes = ?, took_ms = ?, took_note = ?, settled_at = ?, code = ?, why = ?
       where id = ? and (state in ('waiting', 'claimed') or state = 'superseded' and ? = 'delivered')`,
  )
  const loadQueue = db.prepare<[string, string, number, number, number], LoadedRow>(
    `select ${LOADED_COLUMNS}, p.body from deliveries d indexed by deliveries_unsettled
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

  return {
    /**
     * Writes JSON of `OutcomeOf[]`; false: decided elsewhere meanwhile (the attempt is still written). Delivered wins
     * over superseded; in doubt becomes delivered if proven.
     */
    settle(outcomes: string, now: Instant): boolean[] {
      const all = JSON.parse(outcomes) as OutcomeOf[]
      const applied = new Set<OutcomeOf>()
      for (const one of all) {
        const { delivery, next, attempt, atOnce, crashes = 0 } = one
        if (current.delete(delivery)) {
          changed.add(delivery)
          ended.add(delivery)
        }
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
        if (changes === 1) applied.add(one)
      }
      const more = all.filter(
        (one) => !one.atOnce || !applied.has(one) || one.comparedAt !== undefined || one.links.length > 0,
      )
      const proven = more.length === 0 ? NONE : run(followOutcomes(keys.store, more, (one) => applied.has(one), now))
      return all.map((one) => applied.has(one) && !proven.has(one.delivery))
    },

    markIsolated: (delivery: number, harmlessBefore: number | null): void =>
      void markIsolated.run({ delivery, harmlessBefore }),

    /** Releases unused claims; returns the ids of those proven delivered meanwhile. */
    offWire(claims: ClaimedDelivery[], now: Instant): number[] {
      for (const { id, open, firstTriedAt } of claims) takeOffWire.run(open ? 1 : 0, now, firstTriedAt, id)
      const doubtful = claims.filter(({ open }) => open).map(({ id, effect }) => ({ delivery: id, effect }))
      return [...run(deliverWhereProven(keys.store, doubtful, now))]
    },

    /** A queue's open deliveries after a place, in event order. `isCut`: out of time. */
    load(queueKey: QueueKey, after: QueuePosition, items: number, bytes: number) {
      const loaded: LoadedItem[] = []
      const hasTime = slices.begin()
      let size = 0
      for (const row of loadQueue.iterate(queueKey.destination, queueKey.urgency, after.event, after.delivery, items)) {
        loaded.push(loadedItem(row))
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

const NONE: ReadonlySet<number> = new Set()

/** A claimed delivery of which the file says more. `event`: that of which the body is needed. */
interface Needy {
  id: number
  once: boolean
  digested: boolean
  guarded: boolean
  event: number | null
}

export function createPreparing(db: Database, { blocks, keys, run }: Parts & { blocks: BlockCache }) {
  const markOnWire = db.prepare(
    `update deliveries set state = 'claimed', open = 1, due_at = ?, first_tried_at = coalesce(first_tried_at, ?)
       where id = ? and state = 'waiting'`,
  )
  const isWaiting = db.prepare<[number], unknown>(`select 1 from deliveries where id = ? and state = 'waiting'`)
  const getUnless = db.prepare<[number], { unless: string | null }>('select unless from deliveries where id = ?')

  return {
    /** Null: decided elsewhere meanwhile. */
    prepare(needy: readonly Needy[], until: Instant, now: Instant) {
      const digests = needy.flatMap(({ id, digested }) => (digested ? [id] : []))
      const compared = digests.length === 0 ? null : run(compareWithAcknowledged(digests))
      const bare = needy.flatMap(({ event }) => event ?? [])
      const payloads = bare.length === 0 ? null : run(payloadsOf(bare, blocks))
      const guards = needy.map(({ id, guarded }): string[] =>
        JSON.parse((guarded && getUnless.get(id)?.unless) || '[]'),
      )
      const facts = guards.flat()
      const proven = facts.length === 0 ? null : run(provenFacts(keys.store, facts))
      return needy.map(({ id, once, digested, event }, index) => {
        if (once && markOnWire.run(until, now, id).changes === 0) return null
        if (!once && digested && !isWaiting.get(id)) return null
        const fact = guards[index]?.find((one) => proven?.has(one))
        return {
          body: event === null ? null : (payloads?.get(event)?.body ?? null),
          comparison: { ...compared?.get(id), ...(fact !== undefined && { invalidated: proven?.get(fact) ?? null }) },
        }
      })
    },
  }
}

/**
 * The deliveries in flight, of which rows tell after a crash. What begins and ends between two writes is never written.
 */
export interface InFlight {
  current: Set<number>
  written: Set<number>
  /** Since the last write. */
  changed: Set<number>
  /** By the transaction that is under way. */
  ended: Set<number>
}

export function createInFlight(): InFlight {
  return { current: new Set(), written: new Set(), changed: new Set(), ended: new Set() }
}

export function createInFlightRows(db: Database, { current, written, changed }: InFlight) {
  const add = db.prepare('insert into in_flight (delivery_id) values (?) on conflict do nothing')
  const remove = db.prepare('delete from in_flight where delivery_id = ?')

  return {
    /** Not synced: it must outlive the process, not a power cut. */
    write(): void {
      db.pragma('synchronous = normal')
      try {
        db.exec('begin immediate')
        const ids = [...changed]
        changed.clear()
        for (const id of ids) {
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
      db.exec(`
        update deliveries set crashes = crashes + 1
          where id in (select delivery_id from in_flight) and state in ('waiting', 'claimed') and crashes < ${ISOLATED_AT};
        delete from in_flight`)
    },
  }
}
