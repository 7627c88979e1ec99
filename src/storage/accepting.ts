import { hash } from 'node:crypto'
import { decide, type KnownKeys, otherOfKey } from '../domain/queue/dedupe.ts'
import { keyPart } from '../domain/queue/event.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Arrival, NewDelivery, PackedArrival, Verdict } from './arrival.ts'
import { type DedupeRow, knownKeysOf, readTombstones } from './tables/gone-events.ts'
import { submissionOf } from './tables/notes.ts'
import { replacePayload } from './tables/payloads.ts'
import { query, type Steps, statement } from './tables/statement.ts'

export type EventStatus = Pick<DedupeRow, 'state' | 'conflictWith' | 'revision' | 'submission' | 'sameKeyAs'>

/** Without its body, which may be elsewhere. */
type Bare = Omit<Arrival, 'body'>

export const EVENT_COLUMNS = `id bigint, kind text, origin text, subscription text, state text, conflict_with bigint, received_at bigint,
  transport_key text, identity text, revision bigint, entity text, facts text, problem text, size int, body_hash text,
  submission bigint, line int, same_key_as bigint`
export const EVENT_NAMES = EVENT_COLUMNS.replaceAll(/ (bigint|text|int)\b/g, '')

export function eventRowOf(id: number, arrival: Bare, kept: EventStatus, size: number) {
  const { kind, origin, subscription, receivedAt, transportKey, identity, entity, problem, bodyHash } = arrival
  const { state, conflictWith, revision, submission, sameKeyAs } = kept
  const facts = arrival.facts && JSON.stringify(arrival.facts)
  const line = submission === null ? null : (arrival.submission?.line ?? null)
  return {
    ...{ id, kind, origin, subscription, state, conflict_with: conflictWith, received_at: receivedAt },
    ...{ transport_key: transportKey, identity, revision, entity, facts, problem, size, body_hash: bodyHash },
    ...{ submission, line, same_key_as: sameKeyAs },
  }
}

export interface Engine<A extends Bare> {
  sameBytesWindow: number
  /** Before they are asked for, where others may write them. */
  loadKeys?(keys: readonly string[]): Steps<void>
  get(key: string): number | undefined
  put(key: string, event: number): void
  /** Deleted ones too, as an arrival sees them. */
  event(id: number, arrival: A): Steps<DedupeRow | undefined>
  isDeleted(id: number): boolean
  /** Claimed, though its row may not say so. */
  isClaimed(id: number): boolean
  flush?(): Steps<void>
  /** Stores an event with what it enqueues and proves; a conflict enqueues and proves nothing. */
  add(arrival: A, kept: EventStatus, keys: Keys | null): number
  lockToComplete?(id: number, arrival: A): Steps<void>
  complete(event: DedupeRow, arrival: A): Steps<void>
}

export function* accept<A extends Bare>(engine: Engine<A>, arrival: A): Steps<Verdict> {
  if (arrival.refused) return yield* storeEvent(engine, arrival, 0, null, null)
  if (arrival.completes) return yield* complete(engine, arrival, arrival.completes)
  let named = arrival
  let keys = keysOf(named)
  let known = yield* lookUp(engine, named, keys)
  /** Another event that has its transport key. */
  const same = known.byTransportKey === null ? null : otherOfKey(named, known)
  if (same !== null) {
    named = underOwnKey(arrival)
    keys = keysOf(named)
    known = yield* lookUp(engine, named, keys)
  }
  const decision = decide(named, known, engine.sameBytesWindow, named.transportKey !== null && same === null)
  switch (decision.type) {
    case 'duplicate':
      if (keys.transport && !known.byTransportKey) engine.put(keys.transport, decision.of)
      return yield* duplicate(engine, named, decision.of, decision.otherBytes)
    case 'conflict':
      return yield* conflict(engine, named, decision.with, keys, same)
    case 'new':
      return yield* storeEvent(engine, named, decision.revision, keys, same)
  }
}

function* lookUp<A extends Bare>(engine: Engine<A>, arrival: A, keys: Keys): Steps<KnownKeys> {
  const about = keys.identity ?? keys.bytes
  if (engine.loadKeys) yield* engine.loadKeys([keys.transport, about].filter((key) => key !== null))
  const named = keys.transport === null ? undefined : engine.get(keys.transport)
  const same = about === null ? undefined : engine.get(about)
  if (named === undefined && same === undefined) return NOTHING_KNOWN
  const namedEvent = named === undefined ? undefined : yield* engine.event(named, arrival)
  const sameEvent = same === undefined ? undefined : yield* engine.event(same, arrival)
  return knownKeysOf(arrival, namedEvent, sameEvent, keys.identity !== null)
}

const NOTHING_KNOWN: KnownKeys = { byTransportKey: null, byIdentity: null, byBytes: null }

function* storeEvent<A extends Bare>(
  engine: Engine<A>,
  arrival: A,
  revision: number,
  keys: Keys | null,
  sameKeyAs: number | null,
): Steps<Verdict> {
  const { problem, quiet, deliveries, origin, receivedAt, submission: line } = arrival
  const state = problem !== null ? 'quarantined' : quiet || deliveries.length > 0 ? 'routed' : 'unrouted'
  const submission = line ? yield* submissionOf(origin, line, receivedAt) : null
  const id = engine.add(arrival, { state, conflictWith: null, revision, submission, sameKeyAs }, keys)
  if (state === 'quarantined') return { status: 'quarantined', id }
  return { status: 'accepted', id, unrouted: state === 'unrouted', submission, sameKeyAs }
}

/**
 * Other content under an immutable identity: stored beside the first, for an operator. No line of its submission: the
 * sender is answered.
 */
function* conflict<A extends Bare>(
  engine: Engine<A>,
  arrival: A,
  withId: number,
  keys: Keys,
  sameKeyAs: number | null,
): Steps<Verdict> {
  const sameConflict = conflictKeyOf(withId, arrival.bodyHash)
  // Counted, so that each has a delivery key of its own if an operator routes it.
  const latest = latestConflictKeyOf(withId)
  if (engine.loadKeys) yield* engine.loadKeys([sameConflict, latest])
  const seen = engine.get(sameConflict)
  if (seen !== undefined) return yield* duplicate(engine, arrival, seen, false)
  const last = engine.get(latest)
  const revision = (last === undefined ? 0 : ((yield* engine.event(last, arrival))?.revision ?? 0)) + 1
  const kept: EventStatus = { state: 'unrouted', conflictWith: withId, revision, submission: null, sameKeyAs }
  const id = engine.add(arrival, kept, null)
  for (const key of [sameConflict, latest, keys.transport]) if (key !== null) engine.put(key, id)
  return yield* conflicting(engine, arrival, id, withId)
}

/** A richer body replaces the sparser one that it was compared with, unless that was acted on. */
function* complete<A extends Bare>(
  engine: Engine<A>,
  arrival: A,
  { event: of, bodyHash }: NonNullable<Arrival['completes']>,
): Steps<Verdict> {
  if (engine.lockToComplete) yield* engine.lockToComplete(of, arrival)
  const event = yield* engine.event(of, arrival)
  // Completed by another meanwhile: this one may still be richer.
  if (!event || engine.isDeleted(of) || event.bodyHash !== bodyHash) return yield* duplicate(engine, arrival, of, true)
  if (yield* isActedOn(engine, of)) return yield* duplicate(engine, arrival, of, false)
  yield* engine.complete(event, arrival)
  return { status: 'duplicate', id: of, completed: true, otherBytes: true, submission: event.submission }
}

function* duplicate<A extends Bare>(engine: Engine<A>, arrival: A, of: number, differs: boolean): Steps<Verdict> {
  const event = yield* engine.event(of, arrival)
  const otherBytes = event?.bodyHash !== arrival.bodyHash
  if (arrival.exact && event && event.conflictWith !== null && !otherBytes)
    return yield* conflicting(engine, arrival, of, event.conflictWith)
  const submission = event?.submission ?? null
  const verdict: Verdict = { status: 'duplicate', id: of, completed: false, otherBytes, submission }
  if (differs && event && !engine.isDeleted(of) && !(yield* isActedOn(engine, of))) verdict.comparable = true
  return verdict
}

const actedOn = statement<{ id: number }>(
  `select id from deliveries where event_id = $1 and (state <> 'waiting' or first_tried_at is not null) limit 1`,
)

/** Or erased: a copy would bring the data subject back. */
function* isActedOn<A extends Bare>(engine: Engine<A>, event: number): Steps<boolean> {
  if (engine.flush) yield* engine.flush()
  const erased = erasedKeyOf(event)
  if (engine.loadKeys) yield* engine.loadKeys([erased])
  if (engine.isClaimed(event) || engine.get(erased) !== undefined) return true
  return (yield* query(actedOn, [event])).length > 0
}

function* conflicting<A extends Bare>(engine: Engine<A>, arrival: A, id: number, withId: number): Steps<Verdict> {
  const submission = (yield* engine.event(withId, arrival))?.submission ?? null
  return { status: 'conflict', id, with: withId, submission }
}

const setEventBody = statement<{ id: number }>(
  'update events set body_hash = $1, size = $2, facts = $3, entity = $4, subscription = $5 where id = $6 returning id',
)

/** Gives an event the body and what was read of it; false: it is not there any more. */
export function* replaceBody(
  id: number,
  { bodyHash, entity, facts, subscription }: Bare,
  body: Uint8Array,
): Steps<boolean> {
  yield* replacePayload(id, body)
  const text = facts && JSON.stringify(facts)
  return (yield* query(setEventBody, [bodyHash, body.byteLength, text, entity, subscription, id])).length > 0
}

const findEvents = statement<Omit<KnownEvent, 'by' | 'hasKey'> & { hasKey: unknown }>(
  `select id, body_hash as "bodyHash", transport_key is not null as "hasKey", received_at as "receivedAt", subscription
     from events where id = any($1::bigint[])`,
)

export function createKeyLookup({ find }: Pick<KeyStore, 'find'>) {
  return {
    /** Those of the keys that events of the origin came with. */
    *seen(origin: string, transportKeys: readonly string[]): Steps<Set<string>> {
      const found = yield* find(transportKeys.map((key) => transportKeyOf(origin, key)))
      return new Set(transportKeys.filter((key) => found.has(transportKeyOf(origin, key))))
    },

    /** The earlier event of each: by transport key, else identity, else bytes. */
    *known(those: readonly EventIdentity[]): Steps<(KnownEvent | null)[]> {
      const own = those.map((identity) => {
        const keys = keysOf(identity)
        return KEY_ORDER.flatMap((by) => (keys[by] === null ? [] : [{ by, key: keys[by] }]))
      })
      const found = yield* find(own.flat().map(({ key }) => key))
      const ids = [...new Set(found.values())]
      const rows = ids.length === 0 ? [] : yield* query(findEvents, [ids])
      const events = new Map(rows.map((row) => [row.id, { ...row, hasKey: Boolean(row.hasKey) }]))
      for (const { id, bodyHash, hasKey, receivedAt } of yield* readTombstones(ids.filter((id) => !events.has(id))))
        events.set(id, { id, bodyHash, hasKey, receivedAt, subscription: null })
      return own.map((keys) => {
        for (const { by, key } of keys) {
          const event = events.get(found.get(key) ?? 0)
          if (event) return { ...event, by }
        }
        return null
      })
    },
  }
}

/**
 * One buffer for all bodies (a body is often a slice of a large one, which would be cloned whole); JSON for the rest
 * takes half the time of structured clone.
 */
export function pack(arrivals: readonly Arrival[]): { packed: string; bodies: Uint8Array<ArrayBuffer> } {
  const bodies = new Uint8Array(arrivals.reduce((sum, arrival) => sum + arrival.body.byteLength, 0))
  let from = 0
  const packed = arrivals.map(({ body, ...rest }): PackedArrival => {
    bodies.set(body, from)
    from += body.byteLength
    return { ...rest, size: body.byteLength }
  })
  return { packed: JSON.stringify(packed), bodies }
}

export function unpack(packed: string, bodies: Uint8Array): Arrival[] {
  let from = 0
  return (JSON.parse(packed) as PackedArrival[]).map(({ size, ...arrival }) => {
    from += size
    return { ...arrival, body: bodies.subarray(from - size, from) }
  })
}

/** Columns written at enqueue, for both engines. */
const NEW_DELIVERY = {
  ...({
    event_id: 'bigint',
    flow: 'text',
    part: 'text',
    destination: 'text',
    urgency: 'text',
    entity: 'text',
  } as const),
  ...({ batch: 'text', once: 'boolean', due_at: 'bigint', latest_wins: 'boolean', digest: 'text' } as const),
  ...({ force: 'boolean', subject: 'text', version: 'bigint', effect: 'text', said: 'text' } as const),
  ...({ unless: 'text', yields: 'boolean', released: 'text' } as const),
}
type Column = keyof typeof NEW_DELIVERY

export const NEW_DELIVERY_COLUMNS = Object.entries(NEW_DELIVERY).map(([name, type]) => ({ name: name as Column, type }))

/** `due_at` null: now, by the storage's clock. */
export function newDeliveryRow(step: NewDelivery, event: number): Record<Column, string | number | boolean | null> {
  const { flow, part, destination, urgency, entity, notBefore, once, batch, latestWins, force, released } = step
  const { subject = null, effect = null, said = null, unless = [], yields = false } = step
  const version = step.version === undefined ? (latestWins ? event : null) : step.version
  const compared = isCompared(step) ? { digest: step.digest, version } : { digest: null, version: null }
  return {
    ...{ event_id: event, flow, part, destination, urgency, entity, batch, once, due_at: notBefore },
    ...{ latest_wins: latestWins, ...compared, force, subject, effect, said, yields },
    unless: unless.length > 0 ? JSON.stringify(unless) : null,
    released: released ? JSON.stringify(released) : null,
  }
}

export function isCompared({ digest, version, latestWins, subject, entity }: NewDelivery): boolean {
  const hasVersion = version === undefined ? latestWins : version !== null
  return (digest !== null || hasVersion) && (subject ?? entity) !== null
}

/* Deduplication keys are hashes, the same in both engines, so that a storage can be copied to the other. */

export type EventIdentity = Pick<Arrival, 'kind' | 'origin' | 'transportKey' | 'identity' | 'bodyHash'>

/** 16 bytes each, as latin1 text; `bytes` only without an identity. */
export interface Keys {
  transport: string | null
  identity: string | null
  bytes: string | null
}

export interface KnownEvent {
  id: number
  by: keyof Keys
  bodyHash: string
  hasKey: boolean
  receivedAt: Instant
  subscription: string | null
}

/** Where an engine keeps the keys that no event's row yields, and finds all: by key, the event. */
export interface KeyStore {
  find(keys: readonly string[]): Steps<ReadonlyMap<string, number>>
  /** Returns those that were not there. */
  add(keys: ReadonlyMap<string, number>): Steps<ReadonlySet<string>>
}

const KEY_ORDER = ['transport', 'identity', 'bytes'] as const satisfies (keyof Keys)[]

export function listOfKeys({ transport, identity, bytes }: Keys): string[] {
  return [transport, identity, bytes].filter((key) => key !== null)
}

export function keysOf({ kind, origin, transportKey, identity, bodyHash }: EventIdentity): Keys {
  return {
    transport: transportKey === null ? null : transportKeyOf(origin, transportKey),
    identity: identity === null ? null : digest('identity', `${kind}\0${identity}`),
    bytes: identity === null ? digest('bytes', `${kind}\0${bodyHash}`) : null,
  }
}

function underOwnKey<A extends Pick<Arrival, 'kind' | 'transportKey' | 'bodyHash'>>(arrival: A): A {
  const { kind, transportKey, bodyHash } = arrival
  return { ...arrival, transportKey: `${transportKey}~${keyPart(kind)}~${bodyHash}` }
}

function transportKeyOf(origin: string, transportKey: string): string {
  return digest('transport', `${origin}\0${transportKey}`)
}

export const factKeyOf = (fact: string) => digest('fact', fact)
const conflictKeyOf = (withEvent: number, bodyHash: string) => digest('conflict', `${withEvent}\0${bodyHash}`)
const latestConflictKeyOf = (withEvent: number) => digest('latest-conflict', String(withEvent))

export const erasedKeyOf = (event: number) => digest('erased', String(event))

export function digest(sort: string, key: string): string {
  return hash('sha256', `${sort}\0${key}`, 'buffer').toString('latin1', 0, 16)
}
