import { field } from '../values/field.ts'
import type { Instant } from '../values/instant.ts'
import { hasZone } from '../values/store-time.ts'
import { type ComparedFields, PULLED } from './event.ts'

export interface Candidate {
  kind: string
  identity: string | null
  versioned: boolean
  repeatable?: boolean
  subscription: string | null
  /** From an own system: its key names one request, and other bytes are a conflict. */
  exact: boolean
  old?: true
  problem: string | null
  bodyHash: string
  facts: ComparedFields | null
  receivedAt: Instant
}

export interface KnownKeys {
  byTransportKey: { id: number; kind: string; identity: string | null; bodyHash: string } | null
  byIdentity: Latest | null
  byBytes: { id: number; receivedAt: Instant } | null
}

interface Latest {
  id: number
  revision: number
  bodyHash: string
  facts: ComparedFields | null
  receivedAt: Instant
  subscription: string | null
  hasKey: boolean
}

export type Decision =
  | { type: 'new'; revision: number }
  | { type: 'duplicate'; of: number /** Other bytes: it may hold what the first lacked. */; otherBytes: boolean }
  | { type: 'conflict'; with: number }

/** Design §5. `window`: milliseconds in which equal bytes are a duplicate. `hasKey`: its transport key is unused. */
export function decide(arrival: Candidate, known: KnownKeys, window: number, hasKey: boolean): Decision {
  const named = known.byTransportKey
  if (named && isSame(arrival, named)) return { type: 'duplicate', of: named.id, otherBytes: false }
  const isNamed = hasKey && named === null
  if (arrival.identity !== null)
    return arrival.versioned ? decideVersioned(arrival, known, isNamed, window) : decideImmutable(arrival, known)
  if (isNamed) return { type: 'new', revision: 0 }
  const copy = known.byBytes
  // A pulled record is the same while its bytes are.
  const isCopy = copy && (arrival.subscription === PULLED || timeBetween(arrival, copy) < window)
  if (isCopy) return { type: 'duplicate', of: copy.id, otherBytes: false }
  return { type: 'new', revision: 0 }
}

/** Another event with the same transport key: the header carries something else (a subscription id). Null: none. */
export function otherOfKey(arrival: Candidate, { byTransportKey: named }: KnownKeys): number | null {
  if (!named || isSame(arrival, named)) return null
  const isOther = arrival.identity === null || arrival.kind !== named.kind || arrival.identity !== named.identity
  return isOther ? named.id : null
}

/** Unreadable bytes may be a damaged copy. */
function isSame(arrival: Candidate, named: NonNullable<KnownKeys['byTransportKey']>): boolean {
  if (arrival.exact) return true
  return arrival.kind === named.kind && (arrival.problem !== null || arrival.bodyHash === named.bodyHash)
}

function decideImmutable(arrival: Candidate, known: KnownKeys): Decision {
  const seen = known.byIdentity
  if (!seen) return arrival.old ? { type: 'conflict', with: 0 } : { type: 'new', revision: 0 }
  if (differ(arrival.facts, seen.facts) || (arrival.exact && arrival.bodyHash !== seen.bodyHash))
    return { type: 'conflict', with: seen.id }
  return { type: 'duplicate', of: seen.id, otherBytes: arrival.bodyHash !== seen.bodyHash }
}

function decideVersioned(arrival: Candidate, known: KnownKeys, isNamed: boolean, window: number): Decision {
  const latest = known.byIdentity
  if (!latest) return { type: 'new', revision: 1 }
  if (arrival.repeatable && known.byTransportKey)
    return { type: 'duplicate', of: known.byTransportKey.id, otherBytes: false }
  if (arrival.repeatable && isCopyOf(latest, arrival, isNamed, window))
    return { type: 'duplicate', of: latest.id, otherBytes: false }
  if (!isNamed && latest.bodyHash === arrival.bodyHash) return { type: 'duplicate', of: latest.id, otherBytes: false }
  return { type: 'new', revision: latest.revision + 1 }
}

/** A repeated effect is harmful: with and without key means two sources. */
function isCopyOf(latest: Latest, arrival: Candidate, isNamed: boolean, window: number): boolean {
  if (isNamed !== latest.hasKey) return true
  const isOtherSource = isNamed && arrival.subscription !== latest.subscription
  return isOtherSource && arrival.bodyHash === latest.bodyHash && timeBetween(arrival, latest) < window
}

function timeBetween(one: { receivedAt: Instant }, other: { receivedAt: Instant }): number {
  return Math.abs(one.receivedAt - other.receivedAt)
}

function differ(a: ComparedFields | null, b: ComparedFields | null): boolean {
  if (!a || !b) return false
  const isSameAmount = (one: string, other: string) => Number(one) === Number(other)
  const isSameStore = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase()
  return !(agree(a[0], b[0], isSameAmount) && agree(a[1], b[1], isSameTime) && agree(a[2], b[2], isSameStore))
}

function agree(a: string | null, b: string | null, isSame: (a: string, b: string) => boolean): boolean {
  return a === null || b === null || a === b || isSame(a, b)
}

const QUARTER = 15 * 60
const FARTHEST = 14 * 3_600

/** To the second, whatever the fractions; a time without zone may be of any. */
function isSameTime(a: string, b: string): boolean {
  const timeBetween = Math.abs(secondsOf(a) - secondsOf(b))
  return timeBetween === 0 || (hasZone(a) !== hasZone(b) && timeBetween % QUARTER === 0 && timeBetween <= FARTHEST)
}

function secondsOf(datetime: string): number {
  return Math.floor(Date.parse(hasZone(datetime) ? datetime : `${datetime}Z`) / 1_000)
}

/** `richer` contains all that `sparser` has, and more. */
export function completes(richer: unknown, sparser: unknown): boolean {
  return covers(richer, sparser) && !covers(sparser, richer)
}

const DEEPEST = 100
const LONGEST_NUMBER = 400

function covers(richer: unknown, sparser: unknown, depth = 0): boolean {
  if (depth > DEEPEST) return false
  if (sparser === null || sparser === undefined || sparser === '') return true
  if (Array.isArray(sparser))
    return Array.isArray(richer) && sparser.every((item, index) => covers(richer[index], item, depth + 1))
  if (typeof sparser === 'object') {
    if (typeof richer !== 'object' || richer === null) return false
    return Object.entries(sparser).every(([key, value]) => covers(field(richer, key), value, depth + 1))
  }
  if (typeof richer === 'object' || richer === undefined || richer === '') return false
  return (
    String(richer) === String(sparser) || (isShort(richer) && isShort(sparser) && Number(richer) === Number(sparser))
  )
}

function isShort(value: unknown): boolean {
  return typeof value !== 'string' || value.length <= LONGEST_NUMBER
}
