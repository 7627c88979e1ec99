import type { Database } from 'better-sqlite3'
import { decide, type Known, otherOfKey } from '../../domain/queue/dedupe.ts'
import type { PackedArrival, Verdict } from '../arrival.ts'
import { conflictKeyOf, forgottenKeyOf, type Keys, keysOf, latestConflictKeyOf, underOwnKey } from '../key.ts'
import { knownOf, type SeenRow, seenAgain, stateOf } from '../retention/gone.ts'
import { tellAcknowledged } from '../tables/acknowledging.ts'
import { goneEvents } from '../tables/gone-events.ts'
import { submissionOf, writeLinks } from '../tables/notes.ts'
import { type BlockCache, payloadsOf } from '../tables/payloads.ts'
import type { KeyTable } from './keys.ts'
import type { EndedDelivery, NowOwed, Owing } from './owing.ts'
import type { Proving } from './proving.ts'
import type { Slices } from './retention/slice.ts'
import type { RunSteps } from './tables.ts'

export interface Accepted {
  verdict: Verdict
  revision: number
  deliveries: number[]
  /** Fields that the event has otherwise than the arrival. */
  as?: Partial<Pick<PackedArrival, 'origin' | 'receivedAt' | 'transportKey'>>
  /** Older deliveries superseded or proven by it. */
  ended?: EndedDelivery[]
}

/** Claims, which only the main thread knows. */
export interface Out {
  events: number[]
  deliveries: number[]
}

type SeenEvent = Omit<SeenRow, 'hasKey' | 'sameKeyAs'> & { hasKey: number }

type Kept = Pick<SeenRow, 'state' | 'conflictWith' | 'revision' | 'submission' | 'sameKeyAs'>

interface Parts {
  keys: KeyTable
  owing: Owing
  proving: Proving
  run: RunSteps
  blocks: BlockCache
  slices: Pick<Slices, 'begin'>
}

/** Decides about arrivals and stores them, inside the caller's transaction. `sameBytesWindow` in ms. */
export function createAccepting(
  db: Database,
  { keys: keyTable, owing, proving, blocks, run, slices }: Parts,
  sameBytesWindow: number,
) {
  const getEvent = db.prepare<[number], SeenEvent>(
    `select id, kind, identity, state, conflict_with as conflictWith, revision, body_hash as bodyHash, facts, received_at as receivedAt,
       subscription, transport_key is not null as hasKey, submission from events where id = ?`,
  )
  const cameAs = db.prepare<[number], NonNullable<Accepted['as']>>(
    'select origin, received_at as receivedAt, transport_key as transportKey from events where id = ?',
  )
  const addEvent = db.prepare(
    `insert into events (id, kind, origin, subscription, state, conflict_with, received_at, transport_key, identity,
       revision, entity, facts, problem, size, body_hash, submission, line, same_key_as)
       values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
  )
  const addPayload = db.prepare('insert into payloads (event_id, headers, body) values (?, ?, ?)')
  const setBody = db.prepare('update payloads set body = ? where event_id = ?')
  const setEventBody = db.prepare(
    'update events set body_hash = ?, size = ?, facts = ?, entity = ?, subscription = ? where id = ?',
  )
  const actedOn = db.prepare<[number], { id: number }>(
    `select id from all_deliveries where event_id = ? and (state <> 'waiting' or first_tried_at is not null) limit 1`,
  )
  const lastId = db.prepare<[], { id: number | null }>('select max(id) as id from events')
  let last = lastId.get()?.id ?? 0
  let latestSeen: SeenEvent | undefined
  let outEvents: ReadonlySet<number> = new Set()
  let outDeliveries: ReadonlySet<number> = new Set()

  function accept(arrival: PackedArrival, body: Uint8Array): Accepted {
    if (arrival.refused) return keep(arrival, body, 0, { transport: null, identity: null, bytes: null })
    latestSeen = undefined
    if (arrival.completes) return complete(arrival, body, arrival.completes)
    const keys = keysOf(arrival)
    const known = lookUp(arrival, keys)
    const same = otherOfKey(arrival, known)
    if (same === null) return take(arrival, body, keys, known, null)
    const own = underOwnKey(arrival)
    const ownKeys = keysOf(own)
    const { transportKey } = own
    return { ...take(own, body, ownKeys, lookUp(own, ownKeys), same), as: { transportKey } }
  }

  function take(arrival: PackedArrival, body: Uint8Array, keys: Keys, known: Known, same: number | null): Accepted {
    const hasKey = arrival.transportKey !== null && same === null
    const decision = decide(arrival, known, sameBytesWindow, hasKey)
    switch (decision.type) {
      case 'duplicate':
        if (keys.transport && !known.byTransportKey) keyTable.put(keys.transport, decision.of)
        return duplicate(arrival, decision.of, decision.otherBytes)
      case 'conflict':
        return conflict(arrival, body, decision.with, keys, same)
      case 'new':
        return keep(arrival, body, decision.revision, keys, same)
    }
  }

  /** A deleted event is known as long as its keys are. */
  function see(id: number, arrival: PackedArrival): SeenEvent | undefined {
    if (latestSeen?.id !== id) latestSeen = getEvent.get(id) ?? seeGone(id, arrival)
    return latestSeen
  }

  function seeGone(id: number, arrival: PackedArrival): SeenEvent | undefined {
    const [gone] = run(goneEvents([id]))
    return gone && { ...seenAgain(gone, arrival), hasKey: Number(gone.hasKey) }
  }

  function lookUp(arrival: PackedArrival, keys: Keys): Known {
    const find = (key: string | null) => {
      const id = key === null ? undefined : keyTable.get(key)
      return id === undefined ? undefined : see(id, arrival)
    }
    return knownOf(arrival, find(keys.transport), find(keys.identity ?? keys.bytes), keys.identity !== null)
  }

  function keep(
    arrival: PackedArrival,
    body: Uint8Array,
    revision: number,
    keys: Keys,
    sameKeyAs: number | null = null,
  ): Accepted {
    const state = stateOf(arrival)
    const { origin, receivedAt, submission: line } = arrival
    const submission = line ? run(submissionOf(origin, line, receivedAt)) : null
    const id = insert(arrival, body, { state, conflictWith: null, revision, submission, sameKeyAs })
    keyTable.remember(keys, id)
    run(writeLinks(arrival.links ?? []))
    const owed = owe(arrival, id, revision)
    if (state === 'quarantined') return accepted({ status: 'quarantined', id }, revision, owed)
    if (arrival.acknowledges) run(tellAcknowledged(arrival.acknowledges))
    const proven = prove(arrival, id)
    return accepted(
      { status: 'accepted', id, unrouted: state === 'unrouted', submission, sameKeyAs },
      revision,
      owed,
      proven,
    )
  }

  function owe(arrival: PackedArrival, id: number, revision: number): NowOwed {
    return owing.owe({ ...arrival, id, revision }, arrival.deliveries, arrival.receivedAt, outDeliveries)
  }

  function prove({ proves, receivedAt }: PackedArrival, id: number): EndedDelivery[] {
    return proves ? proving.prove(proves, id, receivedAt, outDeliveries) : NOTHING
  }

  function insert(arrival: PackedArrival, body: Uint8Array, kept: Kept): number {
    const { state, conflictWith, revision, submission, sameKeyAs } = kept
    const id = last + 1
    addEvent.run(
      id,
      arrival.kind,
      arrival.origin,
      arrival.subscription,
      state,
      conflictWith,
      arrival.receivedAt,
      arrival.transportKey,
      arrival.identity,
      revision,
      arrival.entity,
      arrival.facts && JSON.stringify(arrival.facts),
      arrival.problem,
      arrival.size,
      arrival.bodyHash,
      submission,
      submission === null ? null : arrival.submission?.line,
      sameKeyAs,
    )
    addPayload.run(id, JSON.stringify(arrival.headers), body)
    last = id
    return id
  }

  /**
   * Other content under an immutable identity: stored beside the first, for an operator. No line of its submission:
   * the sender is told.
   */
  function conflict(
    arrival: PackedArrival,
    body: Uint8Array,
    withId: number,
    keys: Keys,
    sameKeyAs: number | null,
  ): Accepted {
    const sameConflict = conflictKeyOf(withId, arrival.bodyHash)
    const seen = keyTable.get(sameConflict)
    if (seen !== undefined) return duplicate(arrival, seen)
    // Counted, so that each has a delivery key of its own if an operator routes it.
    const latest = latestConflictKeyOf(withId)
    const before = keyTable.get(latest)
    const revision = (before === undefined ? 0 : (see(before, arrival)?.revision ?? 0)) + 1
    const id = insert(arrival, body, { state: 'unrouted', conflictWith: withId, revision, submission: null, sameKeyAs })
    for (const key of [sameConflict, latest, keys.transport]) if (key !== null) keyTable.put(key, id)
    return conflicting(arrival, id, withId)
  }

  /** A richer body replaces the sparser one that it was compared with, unless that was acted on. */
  function complete(
    arrival: PackedArrival,
    body: Uint8Array,
    { event: of, bodyHash }: NonNullable<PackedArrival['completes']>,
  ): Accepted {
    const event = getEvent.get(of)
    // Completed by another meanwhile: this one may still be richer.
    if (!event || event.bodyHash !== bodyHash) return duplicate(arrival, of, true)
    if (isActedOn(of)) return duplicate(arrival, of)
    // A row of its own counts before the block.
    if (setBody.run(body, of).changes === 0) addPayload.run(of, headersOf(of), body)
    const facts = arrival.facts && JSON.stringify(arrival.facts)
    setEventBody.run(arrival.bodyHash, arrival.size, facts, arrival.entity, arrival.subscription, of)
    const owed = owe(arrival, of, event.revision)
    if (arrival.quiet || owed.ids.some((id) => id > 0)) owing.routed(of)
    const { submission } = event
    const verdict = { status: 'duplicate', id: of, completed: true, otherBytes: true, submission } as const
    return { ...accepted(verdict, event.revision, owed, prove(arrival, of)), as: cameAs.get(of) ?? {} }
  }

  function headersOf(event: number): string {
    return run(payloadsOf([event], blocks)).get(event)?.headers ?? '{}'
  }

  function isActedOn(event: number): boolean {
    if (outEvents.has(event) || actedOn.get(event) !== undefined) return true
    // Erased: a copy would bring the data subject back.
    return keyTable.get(forgottenKeyOf(event)) !== undefined
  }

  function duplicate(arrival: PackedArrival, of: number, differs = false): Accepted {
    const event = see(of, arrival)
    const otherBytes = event?.bodyHash !== arrival.bodyHash
    // Refused again, as the first time.
    if (arrival.exact && event && event.conflictWith !== null && !otherBytes)
      return conflicting(arrival, of, event.conflictWith)
    const submission = event?.submission ?? null
    const verdict: Verdict = { status: 'duplicate', id: of, completed: false, otherBytes, submission }
    // Of a deleted event nothing is left to compare with.
    if (differs && getEvent.get(of) !== undefined && !isActedOn(of)) verdict.comparable = true
    return { verdict, revision: 0, deliveries: [] }
  }

  function conflicting(arrival: PackedArrival, id: number, withId: number): Accepted {
    const submission = see(withId, arrival)?.submission ?? null
    return { verdict: { status: 'conflict', id, with: withId, submission }, revision: 0, deliveries: [] }
  }

  return {
    accept(arrivals: string, bodies: Uint8Array, out: Out): Accepted[] {
      outEvents = new Set(out.events)
      outDeliveries = new Set(out.deliveries)
      let from = 0
      const results = (JSON.parse(arrivals) as PackedArrival[]).map((arrival) => {
        const body = bodies.subarray(from, from + arrival.size)
        from += arrival.size
        return accept(arrival, arrival.refused ? new Uint8Array() : body)
      })
      keyTable.merge(slices.begin())
      return results
    },

    rolledBack(): void {
      last = lastId.get()?.id ?? 0
    },
  }
}

function accepted(
  verdict: Verdict,
  revision: number,
  { ids: deliveries, superseded }: NowOwed,
  proven: EndedDelivery[] = NOTHING,
): Accepted {
  if (superseded.length + proven.length === 0) return { verdict, revision, deliveries }
  return { verdict, revision, deliveries, ended: [...superseded, ...proven] }
}

const NOTHING: EndedDelivery[] = []
