import type { Database } from 'better-sqlite3'
import type { Instant } from '../../domain/values/instant.ts'
import { accept, type Engine, EVENT_NAMES, eventRowOf } from '../accepting.ts'
import { NEW_DELIVERY_COLUMNS, type NewDelivery, newDeliveryRow, type PackedArrival } from '../arrival.ts'
import type { Accepted, EndedDelivery, Enqueued, Out } from '../queue/queues.ts'
import { tellAcknowledged } from '../tables/acknowledging.ts'
import { type Enqueuing as EnqueuingOne, keepNewest, withoutEnqueuedOnce } from '../tables/enqueuing.ts'
import { type DedupeRow, readTombstones, seenAgain } from '../tables/gone-events.ts'
import { writeLinks } from '../tables/notes.ts'
import { stepName } from '../tables/past.ts'
import { type BlockCache, payloadsOf } from '../tables/payloads.ts'
import { prove } from '../tables/proving.ts'
import type { Slices } from './deleting.ts'
import type { KeyTable } from './keys.ts'
import type { RunSteps } from './tables.ts'

interface Parts {
  keys: KeyTable
  enqueuing: Enqueuing
  run: RunSteps
  blocks: BlockCache
  slices: Pick<Slices, 'begin'>
}

export function createAccepting(
  db: Database,
  { keys: keyTable, enqueuing, blocks, run, slices }: Parts,
  sameBytesWindow: number,
) {
  const getEvent = db.prepare<[number], DedupeRow>(
    `select id, kind, identity, state, conflict_with as conflictWith, revision, body_hash as bodyHash, facts, received_at as receivedAt,
       subscription, transport_key is not null as hasKey, submission, same_key_as as sameKeyAs from events where id = ?`,
  )
  const cameAs = db.prepare<[number], NonNullable<Accepted['as']>>(
    'select origin, received_at as receivedAt, transport_key as transportKey from events where id = ?',
  )
  const addEvent = db.prepare(`insert into events (${EVENT_NAMES}) values (${EVENT_NAMES.replaceAll(/\w+/g, '@$&')})`)
  const addPayload = db.prepare('insert into payloads (event_id, headers, body) values (?, ?, ?)')
  const setBody = db.prepare('update payloads set body = ? where event_id = ?')
  const setEventBody = db.prepare(
    'update events set body_hash = ?, size = ?, facts = ?, entity = ?, subscription = ? where id = ?',
  )
  const lastId = db.prepare<[], { id: number | null }>('select max(id) as id from events')
  let last = lastId.get()?.id ?? 0
  let latestSeen: DedupeRow | undefined
  let outEvents: ReadonlySet<number> = new Set()
  let outDeliveries: ReadonlySet<number> = new Set()
  let came: PackedArrival
  let body: Uint8Array
  let result: Omit<Accepted, 'verdict'>

  const engine: Engine<PackedArrival> = {
    sameBytesWindow,
    *loadKeys() {},
    get: keyTable.get,
    put: keyTable.put,

    *event(id, arrival) {
      if (latestSeen?.id === id) return latestSeen
      const row = getEvent.get(id)
      const [gone] = row ? [] : yield* readTombstones([id])
      latestSeen = row ? { ...row, hasKey: Boolean(row.hasKey) } : gone && seenAgain(gone, arrival)
      return latestSeen
    },
    isDeleted: (id) => getEvent.get(id) === undefined,
    isClaimed: (id) => outEvents.has(id),
    *flush() {},

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
      const { ids, superseded } = enqueuing.enqueue({ ...arrival, id, revision }, deliveries, receivedAt, outDeliveries)
      const isReadable = kept.state !== 'quarantined'
      if (isReadable && acknowledges) run(tellAcknowledged(acknowledges))
      const ended = isReadable && proves ? proven(proves, id, receivedAt) : []
      result = { revision, deliveries: ids, ended: [...superseded, ...ended] }
      if (arrival !== came) result.as = { transportKey: arrival.transportKey }
      return id
    },

    *lockToComplete() {},
    *complete({ id, revision }, arrival) {
      // A row of its own counts before the block.
      if (setBody.run(body, id).changes === 0) {
        const packed = (yield* payloadsOf([id], blocks)).get(id)
        addPayload.run(id, packed?.headers ?? '{}', body)
      }
      const facts = arrival.facts && JSON.stringify(arrival.facts)
      setEventBody.run(arrival.bodyHash, arrival.size, facts, arrival.entity, arrival.subscription, id)
      const { deliveries, receivedAt, proves } = arrival
      const { ids, superseded } = enqueuing.enqueue({ ...arrival, id, revision }, deliveries, receivedAt, outDeliveries)
      if (arrival.quiet || ids.some((one) => one > 0)) enqueuing.routed(id)
      const ended = proves ? proven(proves, id, receivedAt) : []
      result = { revision, deliveries: ids, ended: [...superseded, ...ended], as: cameAs.get(id) ?? {} }
    },
  }

  function proven(facts: readonly string[], event: number, at: Instant): EndedDelivery[] {
    const proofs = facts.map((fact) => ({ fact, event }))
    return run(prove(keyTable.store, proofs, at, outDeliveries))
  }

  return {
    accept(arrivals: string, bodies: Uint8Array, out: Out): Accepted[] {
      outEvents = new Set(out.events)
      outDeliveries = new Set(out.deliveries)
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
export function createEnqueuing(db: Database, keys: KeyTable, run: RunSteps) {
  const addDelivery = db.prepare(
    `insert into deliveries (id, state, ${NEW_DELIVERY_COLUMNS.map(({ name }) => name).join(', ')})
       values (?, 'waiting', ${NEW_DELIVERY_COLUMNS.map(() => '?').join(', ')}) on conflict do nothing`,
  )
  const setRouted = db.prepare(`update events set state = 'routed' where id = ? and state = 'unrouted'`)
  const find = db.prepare<[number], unknown>('select 1 from events where id = ?')
  const lastId = db.prepare<[], { id: number | null }>('select max(id) as id from deliveries')
  let last = lastId.get()?.id ?? 0

  function add(event: number, step: NewDelivery, now: Instant): number {
    const id = last + 1
    const row = newDeliveryRow(step, event)
    row.due_at ??= now
    const values = NEW_DELIVERY_COLUMNS.map(({ name }) => {
      const value = row[name]
      return typeof value === 'boolean' ? Number(value) : value
    })
    const { changes } = addDelivery.run(id, ...values)
    if (changes === 0) return 0
    last = id
    return id
  }

  return {
    enqueue(
      event: EnqueuingOne['event'],
      pending: NewDelivery[],
      now: Instant,
      out: ReadonlySet<number>,
      past: ReadonlySet<string> = NONE,
    ): Enqueued {
      const here = past.size === 0 ? pending : pending.filter((step) => !past.has(stepName(step)))
      const wanted = run(
        withoutEnqueuedOnce(
          keys.store,
          here.map((step) => ({ event, step })),
        ),
      )
      const isWanted = new Set(wanted.map(({ step }) => step))
      const ids = pending.map((step) => (isWanted.has(step) ? add(event.id, step, now) : 0))
      const added = pending.filter(({ latestWins }, nth) => latestWins && ids[nth] !== 0)
      return { ids, superseded: added.length > 0 ? run(keepNewest(added, now, out)) : [] }
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

const NONE: ReadonlySet<string> = new Set()

type Enqueuing = ReturnType<typeof createEnqueuing>
