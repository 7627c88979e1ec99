import type { Database } from 'better-sqlite3'
import { ISOLATED_AT } from '../../domain/queue/delivery.ts'
import type { QueueKey } from '../../domain/queue/queue-key.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { notFoundText } from '../../domain/values/text.ts'
import { failure, type Operation, type Result, type Service } from '../../lib/thread.ts'
import { createKeyLookup } from '../accepting.ts'
import type { NewDelivery } from '../arrival.ts'
import type { ClaimedDelivery } from '../claim.ts'
import { LOADED_COLUMNS, type LoadedRow, loadedItem } from '../queue/loading.ts'
import type { LoadedItem, QueuePosition } from '../queue/queue.ts'
import type { OutcomeOf } from '../queue/queues.ts'
import { readToIndex, searching } from '../search-index.ts'
import { compareWithAcknowledged } from '../tables/acknowledging.ts'
import { touchDeliveries } from '../tables/audit.ts'
import { mirrorWrites } from '../tables/mirror.ts'
import { payloadsOf } from '../tables/payloads.ts'
import { type Doubtful, deliverWhereProven, followOutcomes, provenFacts } from '../tables/proving.ts'
import { query, statement } from '../tables/statement.ts'
import { statements, transactions } from '../tables/tables.ts'
import { createAccepting, createEnqueuing, createKeys, type KeyTable } from './accepting.ts'
import { createDropping, createSlices, type Slices } from './deleting.ts'
import { lockOut, missingMigrations, openAgain, openForWriting } from './file/connection.ts'
import { isFull, isUnavailable } from './file/unavailable.ts'
import { createTables, type RunSteps } from './tables.ts'

export function openWriter(
  db: Database,
  sameBytesWindow: number,
  slices: Slices = createSlices(),
  inFlight: InFlight = createInFlight(),
) {
  const keys = createKeys(db)
  const { run, methods } = createTables(db)
  const enqueuing = createEnqueuing(db, keys, run, inFlight)
  const parts = { keys, enqueuing, run, slices, inFlight }
  const accepting = createAccepting(db, parts, sameBytesWindow)
  const { enqueue } = enqueuing
  const endLeases = db.prepare('update jobs set lease_until = null where lease_until is not null')
  const { takeOver, ...delivering } = createDelivering(db, parts)
  const inFlightRows = createInFlightRows(db, inFlight)
  return {
    db,
    inFlight,
    takeOver(now: Instant, allKeys = false) {
      inFlightRows.takeOver()
      keys.takeOver(allKeys)
      takeOver(now)
      endLeases.run()
    },
    writeInFlight: inFlightRows.write,
    rolledBack() {
      for (const id of inFlight.ended) inFlight.current.add(id)
      keys.rolledBack()
      enqueuing.rolledBack()
      accepting.rolledBack()
    },
    methods: {
      ...delivering,
      ...createPreparing(db, parts),
      ...methods(statements),
      ...methods(transactions),
      /** JSON: cloning as many objects takes twice as long. */
      saveMirror: (changes: string, now: Instant) => run(mirrorWrites.saveMirror(JSON.parse(changes), now)),
      ...createDropping(db, run, keys, slices),
      unindexed: (room: { events: number; bytes: number }) =>
        run(readToIndex(run(searching.searchIndex()).upTo, Number.MAX_SAFE_INTEGER, room)),
      accept: accepting.accept,
      ...methods(createKeyLookup(keys.store)),
      enqueue(event: Parameters<typeof enqueue>[0], pending: NewDelivery[], now: Instant, act?: number) {
        if (!enqueuing.isThere(event.id)) throw new UserError(notFoundText('event', event.id))
        const nowPending = enqueue(event, pending, now)
        const added = nowPending.ids.filter((id) => id > 0)
        if (added.length > 0) enqueuing.routed(event.id)
        if (act !== undefined) run(touchDeliveries(act, added))
        return nowPending
      },
    },
  }
}

type OpenWriter = ReturnType<typeof openWriter>
export type WriterMethods = OpenWriter['methods']

export function runTogether(writer: OpenWriter, operations: Operation[]): Result[] {
  try {
    const methods = writer.methods as unknown as Record<string, Method>
    return transaction(writer, () =>
      operations.map(({ method, args }) => ({ value: (methods[method] as Method)(...args) })),
    )
  } catch (error) {
    if (isUnavailable(error)) throw error
    if (operations.length === 1) return [failure(error)]
    return operations.map((operation) => runAlone(writer, operation))
  }
}

function runAlone(writer: OpenWriter, operation: Operation): Result {
  try {
    const method = writer.methods[operation.method as keyof WriterMethods] as Method
    return transaction(writer, () => ({ value: method(...operation.args) }))
  } catch (error) {
    return failure(error)
  }
}

type Method = (...args: unknown[]) => unknown

export function transaction<T>(writer: OpenWriter, work: () => T): T {
  writer.db.exec('begin immediate')
  writer.inFlight.ended.clear()
  try {
    const result = work()
    writer.db.exec('commit')
    return result
  } catch (error) {
    if (writer.db.inTransaction) writer.db.exec('rollback')
    writer.rolledBack()
    throw error
  }
}

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

function createDelivering(db: Database, { keys, slices, inFlight, run }: Parts) {
  const { current, ended } = inFlight
  const settleDelivery = db.prepare(
    `update deliveries set state = ?, due_at = ?, open = ?, tries = ?, finds = ?, failing_since = ?,
       first_tried_at = coalesce(?, first_tried_at, ?), crashes = ?, took_ms = ?, took_note = ?, settled_at = ?, code = ?, why = ?
       where id = ? and (state in ('waiting', 'claimed') or state = 'superseded' and ? = 'delivered')`,
  )
  const loadQueue = db.prepare<[string, string, number, number, number], LoadedRow>(
    `select ${LOADED_COLUMNS}, p.body from deliveries d indexed by deliveries_unsettled
       join events e on e.id = d.event_id left join payloads p on p.event_id = d.event_id and p.dictionary is null
     where d.destination = ? and d.urgency = ? and (d.event_id, d.id) > (?, ?)
       and d.state in ('waiting', 'claimed', 'held', 'dead') and d.state <> 'dead'
     order by d.event_id, d.id limit ?`,
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
        if (current.delete(delivery)) ended.add(delivery)
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

    /** At start: what is on the wire was so when the process died, and may still take effect. After the keys. */
    takeOver(now: Instant): void {
      noteTakenBack.run(now)
      takeBack.run()
      // What waits with another state may have been on the wire, too.
      if (hasAcknowledged.get()) forgetWaiting.run()
      run(deliverWhereProven(keys.store, run(query(uncertain)), now))
    },
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

function createPreparing(db: Database, { keys, run }: Parts) {
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
      const payloads = bare.length === 0 ? null : run(payloadsOf(bare))
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
  /** By the transaction that is under way. */
  ended: Set<number>
}

function createInFlight(): InFlight {
  return { current: new Set(), written: new Set(), ended: new Set() }
}

function createInFlightRows(db: Database, { current, written }: InFlight) {
  const add = db.prepare('insert into in_flight (delivery_id) values (?) on conflict do nothing')
  const remove = db.prepare('delete from in_flight where delivery_id = ?')

  return {
    /** Not synced: it must outlive the process, not a power cut. */
    write(): void {
      db.pragma('synchronous = normal')
      try {
        db.exec('begin immediate')
        const ids = current.symmetricDifference(written)
        for (const id of ids) (current.has(id) ? add : remove).run(id)
        db.exec('commit')
        for (const id of ids) if (!written.delete(id)) written.add(id)
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

/* The one writer, in a thread: commits never block the hub. A group of operations is one transaction and one sync. */

const IN_FLIGHT_MS = 20

export function writing({ path, sameBytesWindow }: { path: string; sameBytesWindow: number }): Service {
  let lock: Database | null = null
  let open: ReturnType<typeof openWriter> | null = null
  const inFlight = createInFlight()
  let nextWrite: NodeJS.Timeout | null = null
  let wroteAt = 0

  /** Alone, outside of the writer's transactions. */
  const alone: Record<string, (...args: never[]) => unknown> = {
    open: openFile,
    checkpoint: () => open?.db.pragma('wal_checkpoint(passive)'),
    'wal-pages': pagesOfWal,
    'empty-wal': emptyWal,
    'in-flight': track,
    'purge-due': isPurgeDue,
    purge,
    'note-purge': notePurge,
  }

  return {
    run(operations) {
      try {
        const [first] = operations
        const method = first && alone[first.method]
        if (method) return [{ value: method(...(first.args as never[])) }]
        const results = runTogether(open ?? opened(), operations)
        writeInFlightSoon()
        return results
      } catch (error) {
        if (isFull(error)) shrinkWal()
        if (isUnavailable(error)) close()
        const result = failure(error)
        return operations.map(() => result)
      }
    },
    end() {
      clearTimeout(nextWrite ?? undefined)
      writeInFlight()
      close()
      lock?.close()
      lock = null
    },
  }

  function track(claimed: readonly number[], returned: readonly number[], atOnce: boolean): void {
    for (const id of claimed) inFlight.current.add(id)
    for (const id of returned) inFlight.current.delete(id)
    if (atOnce) writeInFlight()
    else writeInFlightSoon()
  }

  /** Under load most has ended by the next write. */
  function writeInFlightSoon(): void {
    if (nextWrite !== null || inFlight.current.symmetricDifference(inFlight.written).size === 0) return
    nextWrite = setTimeout(writeInFlight, Math.max(0, wroteAt + IN_FLIGHT_MS - performance.now()))
  }

  function writeInFlight(): void {
    nextWrite = null
    wroteAt = performance.now()
    try {
      open?.writeInFlight()
    } catch {
      close()
    }
  }

  /** False: it lacks migrations (closed again, still locked). */
  function openFile(now: Instant, allKeys: boolean): boolean {
    lock ??= lockOut(path)
    const db = openForWriting(path)
    const missing = missingMigrations(db)
    if (missing !== 0) {
      db.close()
      if (missing > 0) return false
      throw new UserError(
        `${path} was written by a newer Tillbridge. Run that version, or restore a copy from before its upgrade.`,
      )
    }
    const writer = openWriter(db, sameBytesWindow, createSlices(), inFlight)
    transaction(writer, () => writer.takeOver(now, allKeys))
    open = writer
    return true
  }

  function pagesOfWal(): number {
    const [at] = (open?.db.pragma('wal_checkpoint(noop)') ?? []) as { log: number; checkpointed: number }[]
    return at ? at.log - at.checkpointed : 0
  }

  function emptyWal(): boolean {
    const { db } = opened()
    const wait = Number(db.pragma('busy_timeout', { simple: true }))
    db.pragma('busy_timeout = 0')
    const [{ busy } = { busy: 1 }] = db.pragma('wal_checkpoint(truncate)') as { busy: number }[]
    db.pragma(`busy_timeout = ${wait}`)
    return busy === 0
  }

  /** VACUUM unless larger than `most`; noted as due, durably, before. */
  function purge(most: number): boolean {
    const { db } = opened()
    notePurge(1)
    if (pragma('page_count') * pragma('page_size') > most) return false
    db.exec('vacuum')
    return true
  }

  function notePurge(due: 0 | 1): void {
    opened().db.pragma(`user_version = ${due}`)
  }

  function isPurgeDue(): boolean {
    return pragma('user_version') === 1
  }

  function pragma(name: string): number {
    return Number(opened().db.pragma(name, { simple: true }))
  }

  function opened(): ReturnType<typeof openWriter> {
    open ??= openWriter(openAgain(path), sameBytesWindow, createSlices(), inFlight)
    return open
  }

  /** The WAL may be what fills the disk. */
  function shrinkWal() {
    try {
      open?.db.pragma('wal_checkpoint(truncate)')
    } catch {}
  }

  function close() {
    try {
      open?.db.close()
    } catch {}
    open = null
  }
}
