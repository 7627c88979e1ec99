import { decide, type KnownKeys, otherOfKey } from '../domain/queue/dedupe.ts'
import type { Arrival, NewDelivery, Verdict } from './arrival.ts'
import {
  conflictKeyOf,
  doubtedKeyOf,
  type EventIdentity,
  erasedKeyOf,
  KEY_ORDER,
  type KeyStore,
  type Keys,
  type KnownEvent,
  keysOf,
  latestConflictKeyOf,
  transportKeyOf,
  underOwnKey,
} from './arrival.ts'
import { type DedupeRow, knownKeysOf, readTombstones } from './tables/gone-events.ts'
import { submissionOf } from './tables/notes.ts'
import { type BlockCache, payloadsOf } from './tables/payloads.ts'
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
  loadKeys(keys: readonly string[]): Steps<void>
  get(key: string): number | undefined
  put(key: string, event: number): void
  /** Deleted ones too, as an arrival sees them. */
  event(id: number, arrival: A): Steps<DedupeRow | undefined>
  isDeleted(id: number): boolean
  /** Claimed, though its row may not say so. */
  isClaimed(id: number): boolean
  flush(): Steps<void>
  /** Stores an event with what it enqueues and proves; a conflict enqueues and proves nothing. */
  add(arrival: A, kept: EventStatus, keys: Keys | null): number
  lockToComplete(id: number, arrival: A): Steps<void>
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
  yield* engine.loadKeys([keys.transport, about].filter((key) => key !== null))
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
  yield* engine.loadKeys([sameConflict, latest])
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
  yield* engine.lockToComplete(of, arrival)
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
  `select id from all_deliveries where event_id = $1 and (state <> 'waiting' or first_tried_at is not null) limit 1`,
)

/** Or erased: a copy would bring the data subject back. */
function* isActedOn<A extends Bare>(engine: Engine<A>, event: number): Steps<boolean> {
  yield* engine.flush()
  const erased = erasedKeyOf(event)
  yield* engine.loadKeys([erased])
  if (engine.isClaimed(event) || engine.get(erased) !== undefined) return true
  return (yield* query(actedOn, [event])).length > 0
}

function* conflicting<A extends Bare>(engine: Engine<A>, arrival: A, id: number, withId: number): Steps<Verdict> {
  const submission = (yield* engine.event(withId, arrival))?.submission ?? null
  return { status: 'conflict', id, with: withId, submission }
}

const setBody = statement<{ id: number }>('update payloads set body = $1 where event_id = $2 returning event_id as id')
const addBody = statement(`
  insert into payloads (event_id, headers, body) values ($2, $3, $1) on conflict (event_id) do update set body = $1`)
const setEventBody = statement<{ id: number }>(
  'update events set body_hash = $1, size = $2, facts = $3, entity = $4, subscription = $5 where id = $6 returning id',
)

/** Gives an event the body and what was read of it; false: it is not there any more. */
export function* replaceBody(
  id: number,
  { bodyHash, entity, facts, subscription }: Bare,
  body: Uint8Array,
  blocks: BlockCache | null = null,
): Steps<boolean> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  // A row of its own counts before the block.
  if ((yield* query(setBody, [bytes, id])).length === 0) {
    const packed = (yield* payloadsOf([id], blocks)).get(id)
    yield* query(addBody, [bytes, id, packed?.headers ?? '{}'])
  }
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

    /** The event that may be the same fact as each step (`said`). */
    *pendingBefore(steps: readonly NewDelivery[]): Steps<(number | null)[]> {
      const doubted = steps.map(doubtedKeyOf)
      const found = yield* find(doubted.filter((key) => key !== null))
      return doubted.map((key) => (key === null ? null : (found.get(key) ?? null)))
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
