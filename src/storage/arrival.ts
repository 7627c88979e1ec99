import { hash } from 'node:crypto'
import type { Link } from '../domain/orders/link.ts'
import { type ComparedFields, deliveryKey, effectKey, keyPart } from '../domain/queue/event.ts'
import type { Urgency } from '../domain/queue/queue-key.ts'
import type { SearchKey } from '../domain/queue/search-keys.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Released } from './claim.ts'
import type { EventRow } from './rows.ts'
import type { Steps } from './tables/statement.ts'

export interface Unindexed {
  id: number
  kind: string
  transportKey: string | null
  body: Uint8Array | null
}

export interface EventKey extends SearchKey {
  event: number
}

export interface Found {
  key: SearchKey
  event: EventRow
}

export interface Arrival {
  kind: string
  origin: string
  subscription: string | null
  receivedAt: Instant
  headers: Record<string, string>
  body: Uint8Array
  /** First 16 bytes of the body's SHA-256, in hex. */
  bodyHash: string
  transportKey: string | null
  identity: string | null
  versioned: boolean
  repeatable?: true
  exact: boolean
  /** Older than the deduplication keys reach back. */
  old?: true
  entity: string | null
  facts: ComparedFields | null
  /** Why it cannot be read: it is stored in quarantine. */
  problem: string | null
  /** The sparser event that this arrival completes; it still has this hash and was not acted on. */
  completes?: { event: number; bodyHash: string }
  /** Too large: a trace without its body, which dedupes nothing. */
  refused?: true
  deliveries: NewDelivery[]
  /** To enqueue nothing is right here: not `unrouted`. */
  quiet?: boolean
  /**
   * Facts that it proves: an in-doubt delivery of such an effect becomes delivered (`proven`). Duplicates, conflicts
   * and quarantined arrivals prove nothing.
   */
  proves?: string[]
  links?: Link[]
  /** State that destinations know by this event: who submits a customer has it. */
  acknowledges?: { destination: string; flow: string; subject: string; digest: string }[]
  submission?: SubmissionLine
}

/** `key`: the request's Idempotency-Key. */
export interface SubmissionLine {
  resource: string
  key: string
  line: number
}

export type Verdict =
  | {
      status: 'accepted'
      id: number
      unrouted: boolean
      submission: number | null
      sameKeyAs: number | null
    }
  | {
      status: 'duplicate'
      id: number
      completed: boolean
      otherBytes: boolean
      unread?: true
      /** The first was not acted on: this one may complete it, if richer (Arrival.completes). */
      comparable?: true
      submission: number | null
    }
  | { status: 'conflict'; id: number; with: number; submission: number | null }
  | { status: 'quarantined'; id: number }

export type PackedArrival = Omit<Arrival, 'body'> & { size: number }

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

export interface NewDelivery {
  flow: string
  part: string
  destination: string
  urgency: Urgency
  entity: string | null
  notBefore: Instant | null
  /** At most once for ever, whatever event or destination. */
  once: boolean
  each?: boolean
  batch: string | null
  /**
   * Waiting, dead and skipped deliveries of the same flow, part, entity and destination become `superseded` by this
   * one, or this one by a higher `version`.
   */
  latestWins: boolean
  digest: string | null
  subject?: string | null
  /** For `stale` (Claim). Not given with `latestWins`: the event's id. */
  version?: number | null
  /** With `once`, the effect is enqueued once under this name and flow, whichever event asks for it. */
  effect?: string | null
  /** A less exact name, shared with effects of other events: blocks them unless they were enqueued under an own name. */
  keyByNumber?: string | null
  said?: string | null
  unless?: readonly string[]
  force: boolean
  yields?: boolean
  released?: Released
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
  ...({ force: 'boolean', subject: 'text', version: 'bigint', effect: 'text', unless: 'text' } as const),
  ...({ yields: 'boolean', released: 'text' } as const),
}
type Column = keyof typeof NEW_DELIVERY

export const NEW_DELIVERY_COLUMNS = Object.entries(NEW_DELIVERY).map(([name, type]) => ({ name: name as Column, type }))

/** `due_at` null: now, by the storage's clock. */
export function newDeliveryRow(step: NewDelivery, event: number): Record<Column, string | number | boolean | null> {
  const { flow, part, destination, urgency, entity, notBefore, once, batch, latestWins, force, released } = step
  const { subject = null, effect = null, unless = [], yields = false } = step
  const version = step.version === undefined ? (latestWins ? event : null) : step.version
  const compared = isCompared(step) ? { digest: step.digest, version } : { digest: null, version: null }
  return {
    ...{ event_id: event, flow, part, destination, urgency, entity, batch, once, due_at: notBefore },
    ...{ latest_wins: latestWins, ...compared, force, subject, effect, yields },
    unless: unless.length > 0 ? JSON.stringify(unless) : null,
    released: released ? JSON.stringify(released) : null,
  }
}

export function isCompared({ digest, version, latestWins, subject, entity }: NewDelivery): boolean {
  const hasVersion = version === undefined ? latestWins : version !== null
  return (digest !== null || hasVersion) && (subject ?? entity) !== null
}

export interface Undone {
  id: number
  eventId: number
  version: number | null
}

function isNewer(a: Undone, b: Undone): boolean {
  const versioned = a.version !== null && b.version !== null && a.version !== b.version
  return versioned ? Number(a.version) > Number(b.version) : a.eventId > b.eventId
}

export function newestOf<One extends Undone>(alike: readonly One[]): One {
  return alike.reduce((a, b) => (isNewer(b, a) ? b : a))
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

export const KEY_ORDER = ['transport', 'identity', 'bytes'] as const satisfies (keyof Keys)[]

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

export function underOwnKey<A extends Pick<Arrival, 'kind' | 'transportKey' | 'bodyHash'>>(arrival: A): A {
  const { kind, transportKey, bodyHash } = arrival
  return { ...arrival, transportKey: `${transportKey}~${keyPart(kind)}~${bodyHash}` }
}

export function transportKeyOf(origin: string, transportKey: string): string {
  return digest('transport', `${origin}\0${transportKey}`)
}

function onceKeyOf(deliveryKey: string, { each, destination }: Pick<NewDelivery, 'each' | 'destination'>): string {
  return digest('once', each ? `${destination}/${deliveryKey}` : deliveryKey)
}

/**
 * `shared`: a name shared with effects of other orders (`keyByNumber`). `disambiguated`: present only where the shared name
 * was taken under a more exact own name.
 */
export function onceKeysOf(event: Parameters<typeof deliveryKey>[0], step: NewDelivery) {
  const { flow, part, effect = null, keyByNumber = null } = step
  const own = onceKeyOf(deliveryKey(event, flow, part, effect), step)
  const shared = keyByNumber === null ? null : onceKeyOf(effectKey(keyByNumber, flow), step)
  return { own, shared, disambiguated: shared === null ? '' : digest('once-disambiguated', shared) }
}

export function doubtedKeyOf(step: NewDelivery): string | null {
  const { flow, effect = null, said = null } = step
  return effect === null || said === null ? null : onceKeyOf(effectKey(effect, flow), step)
}
export const factKeyOf = (fact: string) => digest('fact', fact)
export const conflictKeyOf = (withEvent: number, bodyHash: string) => digest('conflict', `${withEvent}\0${bodyHash}`)
export const latestConflictKeyOf = (withEvent: number) => digest('latest-conflict', String(withEvent))

export const erasedKeyOf = (event: number) => digest('erased', String(event))

function digest(sort: string, key: string): string {
  return hash('sha256', `${sort}\0${key}`, 'buffer').toString('latin1', 0, 16)
}
