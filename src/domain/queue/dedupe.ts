import { field } from '../values/field.ts'
import type { Instant } from '../values/instant.ts'
import { PULLED } from './event.ts'
import type { ComparedFields } from './identity.ts'

/** Everything that decides about one arrival, besides what the store remembers. */
export interface Candidate {
  kind: string
  identity: string | null
  versioned: boolean
  /** Repeatable kinds are brought about again by people on purpose, and each time is to have its effect (a receipt is sent again). */
  repeatable?: boolean
  /** The subscription that it came by: the same event may come by several, under a transport key for each. */
  subscription: string | null
  /**
   * The arrival is of an own system, whose transport key names a request for good. Other bytes under an immutable identity are a
   * conflict, whatever they say: its sender must know what was taken.
   */
  exact: boolean
  /** It is older than what is remembered: whether it came before, nobody can tell. */
  old?: true
  /** Why it cannot be read; null: it can be. */
  problem: string | null
  bodyHash: string
  facts: ComparedFields | null
  receivedAt: Instant
}

/** The store's memory of an arrival's keys. */
export interface Known {
  /** The event that came with the same transport key. */
  byTransportKey: { id: number; kind: string; identity: string | null; bodyHash: string } | null
  /** The latest event of that identity. */
  byIdentity: Latest | null
  /** The latest event of the same kind and bytes. */
  byBytes: { id: number; receivedAt: Instant } | null
}

interface Latest {
  id: number
  revision: number
  bodyHash: string
  facts: ComparedFields | null
  receivedAt: Instant
  subscription: string | null
  /** The event came with a transport key. */
  hasKey: boolean
}

export type Decision =
  | { type: 'new'; revision: number }
  | { type: 'duplicate'; of: number /** Other bytes: it may hold what the first lacked. */; otherBytes: boolean }
  /** `with` 0: with what is not remembered any more, if it came. */
  | { type: 'conflict'; with: number }

/**
 * Whether an arrival is news: the table of design §5, in its order.
 * `window` is how long the same bytes count as a copy where nothing else tells, in milliseconds. `hasKey`: it has a transport key
 * that is no other event's.
 */
export function decide(arrival: Candidate, known: Known, window: number, hasKey: boolean): Decision {
  const named = known.byTransportKey
  if (named && isSame(arrival, named)) return { type: 'duplicate', of: named.id, otherBytes: false }
  const isNamed = hasKey && named === null
  if (arrival.identity !== null)
    return arrival.versioned ? decideVersioned(arrival, known, isNamed, window) : decideImmutable(arrival, known)
  if (isNamed) return { type: 'new', revision: 0 }
  const copy = known.byBytes
  // What is pulled is the same record as long as it has the same bytes, however often it is asked for.
  const isCopy = copy && (arrival.subscription === PULLED || apart(arrival, copy) < window)
  if (isCopy) return { type: 'duplicate', of: copy.id, otherBytes: false }
  return { type: 'new', revision: 0 }
}

/**
 * The event that has the same transport key and is another one; null: none. Then the header that should carry a key of its own for each
 * event carries something else (the id of a subscription, say), and the key tells nothing.
 */
export function otherOfKey(arrival: Candidate, { byTransportKey: named }: Known): number | null {
  if (!named || isSame(arrival, named)) return null
  const isOther = arrival.identity === null || arrival.kind !== named.kind || arrival.identity !== named.identity
  return isOther ? named.id : null
}

/** Bytes that cannot be read may be broken ones of the same event; what can be read is the same where its bytes are. */
function isSame(arrival: Candidate, named: NonNullable<Known['byTransportKey']>): boolean {
  if (arrival.exact) return true
  return arrival.kind === named.kind && (arrival.problem !== null || arrival.bodyHash === named.bodyHash)
}

function decideImmutable(arrival: Candidate, known: Known): Decision {
  const seen = known.byIdentity
  if (!seen) return arrival.old ? { type: 'conflict', with: 0 } : { type: 'new', revision: 0 }
  if (differ(arrival.facts, seen.facts) || (arrival.exact && arrival.bodyHash !== seen.bodyHash))
    return { type: 'conflict', with: seen.id }
  return { type: 'duplicate', of: seen.id, otherBytes: arrival.bodyHash !== seen.bodyHash }
}

/** `isNamed`: its transport key is its own, so that it was sent again on purpose. */
function decideVersioned(arrival: Candidate, known: Known, isNamed: boolean, window: number): Decision {
  const latest = known.byIdentity
  if (!latest) return { type: 'new', revision: 1 }
  // Its key was told before, of this very event, whose bytes may have come by a road without keys.
  if (arrival.repeatable && known.byTransportKey)
    return { type: 'duplicate', of: known.byTransportKey.id, otherBytes: false }
  if (arrival.repeatable && isCopyOf(latest, arrival, isNamed, window))
    return { type: 'duplicate', of: latest.id, otherBytes: false }
  if (!isNamed && latest.bodyHash === arrival.bodyHash) return { type: 'duplicate', of: latest.id, otherBytes: false }
  return { type: 'new', revision: latest.revision + 1 }
}

/**
 * A repeatable event's second effect is not harmless: that a key is new is not enough. Where one of the two has a key and the other
 * none, they came by two roads (the webhook, and the event log), and nothing tells them apart. The same bytes by another
 * subscription, within the window, are the copy that this subscription gets.
 */
function isCopyOf(latest: Latest, arrival: Candidate, isNamed: boolean, window: number): boolean {
  if (isNamed !== latest.hasKey) return true
  const isOtherRoad = isNamed && arrival.subscription !== latest.subscription
  return isOtherRoad && arrival.bodyHash === latest.bodyHash && apart(arrival, latest) < window
}

/** The time between them: what a clock that was years ahead has dated is not near until then. */
function apart(one: { receivedAt: Instant }, other: { receivedAt: Instant }): number {
  return Math.abs(one.receivedAt - other.receivedAt)
}

/** Facts differ where both name one and they mean different things; a fact that one of them lacks says nothing. */
function differ(a: ComparedFields | null, b: ComparedFields | null): boolean {
  if (!a || !b) return false
  return !(agree(a[0], b[0], alike(asNumber)) && agree(a[1], b[1], isSameTime) && agree(a[2], b[2], alike(asText)))
}

function agree(a: string | null, b: string | null, isSame: (a: string, b: string) => boolean): boolean {
  return a === null || b === null || a === b || isSame(a, b)
}

function alike(mean: (text: string) => string): (a: string, b: string) => boolean {
  return (a, b) => mean(a) === mean(b)
}

function asNumber(amount: string): string {
  return Number.isNaN(Number(amount)) ? amount : String(Number(amount))
}

/** Zones are off by quarters of an hour, and by this many seconds at most. */
const QUARTER = 15 * 60
const FARTHEST = 14 * 3_600

/**
 * To the second: one road names fractions, another does not. Nor need both name a zone: the clock of the one that names none may be of
 * any.
 */
function isSameTime(a: string, b: string): boolean {
  const apart = Math.abs(secondsOf(a) - secondsOf(b))
  return apart === 0 || (namesZone(a) !== namesZone(b) && apart % QUARTER === 0 && apart <= FARTHEST)
}

function secondsOf(datetime: string): number {
  return Math.floor(Date.parse(namesZone(datetime) ? datetime : `${datetime}Z`) / 1_000)
}

function namesZone(datetime: string): boolean {
  return /(?:[Zz]|[+-]\d\d:?\d\d)$/.test(datetime)
}

function asText(store: string): string {
  return store.trim().toLowerCase()
}

/**
 * Whether `fuller` says all that `thinner` says, and more: each value of the thinner stands in the fuller as it is, under
 * a name that differs in case at most. A pulled fact is often thinner than the pushed one.
 */
export function completes(fuller: unknown, thinner: unknown): boolean {
  return covers(fuller, thinner) && !covers(thinner, fuller)
}

/** Bodies deeper than this are not compared: nothing of the platform's is, and the stack has an end. */
const DEEPEST = 100

/** In characters: numbers that are written with more are compared as texts. */
const LONGEST_NUMBER = 400

function covers(fuller: unknown, thinner: unknown, depth = 0): boolean {
  if (depth > DEEPEST) return false
  if (thinner === null || thinner === undefined || thinner === '') return true
  if (Array.isArray(thinner))
    return Array.isArray(fuller) && thinner.every((item, index) => covers(fuller[index], item, depth + 1))
  if (typeof thinner === 'object') {
    if (typeof fuller !== 'object' || fuller === null) return false
    return Object.entries(thinner).every(([key, value]) => covers(field(fuller, key), value, depth + 1))
  }
  if (typeof fuller === 'object' || fuller === undefined || fuller === '') return false
  return (
    String(fuller) === String(thinner) || (isShort(fuller) && isShort(thinner) && Number(fuller) === Number(thinner))
  )
}

/** Whether it may be a number. A text of megabytes is not read as one: many values may be compared with it. */
function isShort(value: unknown): boolean {
  return typeof value !== 'string' || value.length <= LONGEST_NUMBER
}
