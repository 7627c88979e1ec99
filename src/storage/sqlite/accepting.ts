import type { Database } from 'better-sqlite3'
import type { Instant } from '../../domain/values/instant.ts'
import {
  accept,
  type Engine,
  EVENT_NAMES,
  type EventIdentity,
  eventRowOf,
  type KeyStore,
  type Keys,
  keysOf,
  NEW_DELIVERY_COLUMNS,
  newDeliveryRow,
  replaceBody,
} from '../accepting.ts'
import type { NewDelivery, PackedArrival } from '../arrival.ts'
import type { Accepted, EndedDelivery, Enqueued } from '../queue/queues.ts'
import { tellAcknowledged } from '../tables/acknowledging.ts'
import { type Enqueuing as EnqueuingOne, keepNewest, withoutEnqueuedOnce } from '../tables/enqueuing.ts'
import { type DedupeRow, readEvents, readTombstones, seenAgain } from '../tables/gone-events.ts'
import { writeLinks } from '../tables/notes.ts'
import { prove } from '../tables/proving.ts'
import type { RunSteps } from './tables.ts'

interface Parts {
  keys: KeyTable
  enqueuing: Enqueuing
  run: RunSteps
  slices: { begin(): () => boolean }
  inFlight: { current: ReadonlySet<number> }
}

export function createAccepting(
  db: Database,
  { keys: keyTable, enqueuing, run, slices, inFlight }: Parts,
  sameBytesWindow: number,
) {
  const isThere = db.prepare<[number], unknown>('select 1 from events where id = ?')
  const cameAs = db.prepare<[number], NonNullable<Accepted['as']>>(
    'select origin, received_at as receivedAt, transport_key as transportKey from events where id = ?',
  )
  const addEvent = db.prepare(`insert into events (${EVENT_NAMES}) values (${EVENT_NAMES.replaceAll(/\w+/g, '@$&')})`)
  const addPayload = db.prepare('insert into payloads (event_id, headers, body) values (?, ?, ?)')
  const deliveriesOf = db.prepare<[number], { id: number }>('select id from deliveries where event_id = ?')
  const lastId = db.prepare<[], { id: number | null }>('select max(id) as id from events')
  let last = lastId.get()?.id ?? 0
  let latestSeen: DedupeRow | undefined
  let came: PackedArrival
  let body: Uint8Array
  let result: Omit<Accepted, 'verdict'>

  const engine: Engine<PackedArrival> = {
    sameBytesWindow,
    get: keyTable.get,
    put: keyTable.put,

    *event(id, arrival) {
      if (latestSeen?.id === id) return latestSeen
      const [row] = yield* readEvents([id])
      const [gone] = row ? [] : yield* readTombstones([id])
      latestSeen = row ?? (gone && seenAgain(gone, arrival))
      return latestSeen
    },
    isDeleted: (id) => isThere.get(id) === undefined,
    isClaimed: (id) => deliveriesOf.all(id).some((one) => inFlight.current.has(one.id)),

    add(arrival, kept, keys) {
      const id = last + 1
      addEvent.run(eventRowOf(id, arrival, kept, arrival.size))
      addPayload.run(id, JSON.stringify(arrival.headers), body)
      last = id
      if (kept.conflictWith !== null) return id
      keyTable.remember(keys, id)
      const { links, deliveries, receivedAt, acknowledges, proves } = arrival
      if (links) run(writeLinks(links))
      const { revision } = kept
      const { ids, superseded, changed } = enqueuing.enqueue({ ...arrival, id, revision }, deliveries, receivedAt)
      const isReadable = kept.state !== 'quarantined'
      if (isReadable && acknowledges) run(tellAcknowledged(acknowledges))
      const ended = isReadable && proves ? proven(proves, id, receivedAt) : []
      result = { revision, deliveries: ids, ended: [...superseded, ...ended] }
      if (arrival !== came) result.as = { transportKey: arrival.transportKey }
      if (changed) result.as = { ...result.as, deliveries: changed }
      return id
    },

    *complete({ id, revision }, arrival) {
      yield* replaceBody(id, arrival, body)
      const { deliveries, receivedAt, proves } = arrival
      const { ids, superseded, changed } = enqueuing.enqueue({ ...arrival, id, revision }, deliveries, receivedAt)
      if (arrival.quiet || ids.some((one) => one > 0)) enqueuing.routed(id)
      const ended = proves ? proven(proves, id, receivedAt) : []
      const as = { ...cameAs.get(id), ...(changed && { deliveries: changed }) }
      result = { revision, deliveries: ids, ended: [...superseded, ...ended], as }
    },
  }

  function proven(facts: readonly string[], event: number, at: Instant): EndedDelivery[] {
    const proofs = facts.map((fact) => ({ fact, event }))
    return run(prove(keyTable.store, proofs, at, inFlight.current))
  }

  return {
    accept(arrivals: string, bodies: Uint8Array): Accepted[] {
      let from = 0
      const results = (JSON.parse(arrivals) as PackedArrival[]).map((arrival): Accepted => {
        came = arrival
        body = arrival.refused ? new Uint8Array() : bodies.subarray(from, from + arrival.size)
        from += arrival.size
        latestSeen = undefined
        result = { revision: 0, deliveries: [] }
        const verdict = run(accept(engine, arrival))
        return { verdict, ...result }
      })
      keyTable.merge(slices.begin)
      return results
    },

    rolledBack(): void {
      last = lastId.get()?.id ?? 0
    },
  }
}

/** Enqueues deliveries; ids are counted in memory, as there is one writer. */
export function createEnqueuing(db: Database, keys: KeyTable, run: RunSteps, inFlight: Parts['inFlight']) {
  const addDelivery = db.prepare(
    `insert into deliveries (id, state, ${NEW_DELIVERY_COLUMNS.map(({ name }) => name).join(', ')})
       values (?, 'waiting', ${NEW_DELIVERY_COLUMNS.map(() => '?').join(', ')}) on conflict do nothing`,
  )
  const setRouted = db.prepare(`update events set state = 'routed' where id = ? and state = 'unrouted'`)
  const find = db.prepare<[number], unknown>('select 1 from events where id = ?')
  const lastId = db.prepare<[], { id: number | null }>('select max(id) as id from deliveries')
  let last = lastId.get()?.id ?? 0

  return {
    enqueue(event: EnqueuingOne['event'], pending: NewDelivery[], now: Instant): Enqueued {
      const each = pending.map((step) => ({ event, step }))
      const wanted = run(withoutEnqueuedOnce(keys.store, each))
      const ids = wanted.map((one) => {
        if (one === null) return 0
        const row = newDeliveryRow(one.step, event.id)
        row.due_at ??= now
        const values = NEW_DELIVERY_COLUMNS.map(({ name }) => row[name])
        const { changes } = addDelivery.run(
          last + 1,
          ...values.map((value) => (typeof value === 'boolean' ? Number(value) : value)),
        )
        if (changes === 0) return 0
        last += 1
        return last
      })
      const added = pending.filter(({ latestWins }, nth) => latestWins && ids[nth] !== 0)
      const superseded = added.length > 0 ? run(keepNewest(added, now, inFlight.current)) : []
      const isChanged = wanted.some((one, nth) => one !== null && one.step !== pending[nth])
      return {
        ids,
        superseded,
        ...(isChanged && { changed: wanted.map((one, nth) => one?.step ?? (pending[nth] as NewDelivery)) }),
      }
    },

    /** Read before this transaction: may be deleted since. */
    isThere: (eventId: number): boolean => find.get(eventId) !== undefined,

    routed(eventId: number): void {
      setRouted.run(eventId)
    },

    rolledBack(): void {
      last = lastId.get()?.id ?? 0
    },
  }
}

type Enqueuing = ReturnType<typeof createEnqueuing>

const BUCKETS = 256
/** A key waits in memory for 32,768 events at most. */
const EVENTS_A_BUCKET = 128
/** On a slow disk, beyond this many late buckets keys are merged regardless of time. */
const MAX_LATE = 64
/** More unmerged events at start are merged at once (32 MB). */
const MAX_AT_START = 131_072

/**
 * Deduplication keys and their events. Keys are random, one dirty page each: those of new events wait in memory and
 * are merged bucket by bucket (docs/adr/0002-embedded-store.md). At start they are read again from the events after
 * `keys_merged`. Inside the caller's transactions.
 */
export function createKeys(db: Database) {
  const getKey = db.prepare<[Buffer], { eventId: number }>('select event_id as eventId from keys where key = ?')
  const putKey = db.prepare(
    'insert into keys (key, event_id) values (?, ?) on conflict do update set event_id = excluded.event_id',
  )
  const addKey = db.prepare('insert into keys (key, event_id) values (?, ?) on conflict do nothing')
  const getMerged = db.prepare<[], { upTo: number }>('select up_to as upTo from keys_merged')
  const setMerged = db.prepare('update keys_merged set up_to = ?')
  const unmerged = db.prepare<[number], EventIdentity & { id: number }>(
    `select id, kind, origin, transport_key as transportKey, identity, body_hash as bodyHash from events
       where id > ? and conflict_with is null and body_hash <> '' order by id`,
  )
  /** By the first byte of a key. */
  let waiting: Map<string, number>[] = []
  let nextBucket = 0
  let eventsSince = 0
  let late = 0
  let behind = 0
  let last = 0
  let merged = 0
  /** When the round through the buckets ends, all up to this event is merged. */
  let lastAtStart = 0
  load()

  function load() {
    waiting = Array.from({ length: BUCKETS }, () => new Map())
    last = getMerged.get()?.upTo ?? 0
    merged = last
    for (const row of unmerged.iterate(last)) remember(keysOf(row), row.id)
    nextBucket = 0
    late = 0
    behind = eventsSince > 0 ? BUCKETS : 0
    eventsSince = 0
    lastAtStart = last
  }

  function remember(keys: Keys | null, eventId: number): void {
    for (const key of [keys?.transport, keys?.identity, keys?.bytes])
      if (key) waiting[key.charCodeAt(0)]?.set(key, eventId)
    last = eventId
    eventsSince += 1
  }

  function find(key: string): number | undefined {
    return waiting[key.charCodeAt(0)]?.get(key) ?? getKey.get(Buffer.from(key, 'latin1'))?.eventId
  }

  function mergeBucket(hasTime: () => boolean): boolean {
    const bucket = waiting[nextBucket] as Map<string, number>
    for (const key of [...bucket.keys()].sort()) {
      putKey.run(Buffer.from(key, 'latin1'), bucket.get(key))
      bucket.delete(key)
      if (bucket.size > 0 && !hasTime()) return false
    }
    nextBucket = (nextBucket + 1) % BUCKETS
    if (nextBucket > 0) return true
    setMerged.run(lastAtStart)
    merged = lastAtStart
    lastAtStart = last
    return true
  }

  return {
    get: find,

    remember,

    /** A key that no event's row yields: written at once. */
    put(key: string, eventId: number): void {
      waiting[key.charCodeAt(0)]?.delete(key)
      putKey.run(Buffer.from(key, 'latin1'), eventId)
    },

    store: {
      *find(keys) {
        const found = keys.map((key) => [key, find(key)] as const)
        return new Map(found.filter((entry): entry is [string, number] => entry[1] !== undefined))
      },
      *add(keys) {
        return new Set(
          [...keys].flatMap(([key, event]) =>
            addKey.run(Buffer.from(key, 'latin1'), event).changes === 1 ? [key] : [],
          ),
        )
      },
    } satisfies KeyStore,

    /** Merges what is due while there is time: uncached pages take as long as hundreds of cached ones. */
    merge(begin: () => () => boolean): void {
      late += Math.floor(eventsSince / EVENTS_A_BUCKET)
      eventsSince %= EVENTS_A_BUCKET
      if (late + behind === 0) return
      const hasTime = begin()
      for (; late > 0; late -= 1) if (!mergeBucket(() => late > MAX_LATE || hasTime())) return
      if (behind > 0 && hasTime() && mergeBucket(hasTime)) behind -= 1
    },

    mergeUpTo(event: number, hasTime: () => boolean): boolean {
      while (merged < event && mergeBucket(hasTime) && hasTime());
      return merged >= event
    },

    /**
     * At start the last process's keys merge gradually: all at once would read as many pages; frequent restarts must
     * not pile them up. `all`: before a copy.
     */
    takeOver(all: boolean): void {
      if (all || last - merged > MAX_AT_START) for (let bucket = 0; bucket < BUCKETS; bucket++) mergeBucket(() => true)
    },

    rolledBack: load,
  }
}

export type KeyTable = ReturnType<typeof createKeys>
