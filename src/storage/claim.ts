import type { Link } from '../domain/orders/link.ts'
import type { Next } from '../domain/queue/delivery.ts'
import type { Event } from '../domain/queue/event.ts'
import type { Urgency } from '../domain/queue/queue-key.ts'
import type { Instant } from '../domain/values/instant.ts'

export interface ClaimLimits {
  calls: number
  /** Low-priority deliveries begin only while fewer calls than this are in use: bulk leaves a call free. */
  yielding: number
  ignorePriority?: boolean
  bytes: number
  /** Per call. A partial batch waits until nothing was added for `linger` ms, ten times that at most. */
  batch: { items: number; bytes: number; linger: number }
}

export interface Claims {
  calls: Claim[][]
  wakeAt: Instant | null
  /** Low-priority deliveries are due and left a call free: look again when a call ends. */
  yieldingLeft?: true
}

export interface Claim {
  fence: number
  delivery: ClaimedDelivery
  event: Event
  /** The last one delivered there, of this flow and subject, had the same digest. */
  unchanged: boolean
  /** The last one delivered there had a higher version: this must not be sent. */
  stale: boolean
  /** The destination has acknowledged nothing of the subject, and no superseded one may have landed. */
  unacknowledged?: true
  /** The event that has proven one of the facts of `unless`. */
  invalidated: number | null
}

export interface ClaimedDelivery {
  id: number
  flow: string
  part: string
  destination: string
  urgency: Urgency
  entity: string | null
  batch: string | null
  once: boolean
  effect: string | null
  tries: number
  finds: number
  failingSince: Instant | null
  firstTriedAt: Instant | null
  /** In doubt: a call may have had its effect. */
  open: boolean
  released: Released | null
  /** Times it was in flight when the process died or stalled, without an outcome since. */
  crashes: number
}

export const NEVER_TRIED = { tries: 0, finds: 0, failingSince: null, firstTriedAt: null, open: false, crashes: 0 }

/** An operator's decision that a held delivery goes out. */
export interface Released {
  by: string
  reason: string
  to?: string
}

export interface ClaimResult {
  fence: number
  delivery: number
  next: Next
  attempt: { at: Instant; ms: number; outcome: string; code: string; note: string | null }
  links: Link[]
  /** Delivered, but not all of it was sent: no later one is `unchanged` by it. */
  isPartial?: true
  crashes?: number
}

export function leavesNothing({ outcome, code }: ClaimResult['attempt']): boolean {
  return outcome === 'superseded' && (code === 'nothing-left' || code === 'unchanged')
}

const OF_DELIVERY = [
  ...(['id', 'flow', 'part', 'destination', 'urgency', 'entity', 'batch', 'once', 'effect', 'tries', 'finds'] as const),
  ...(['failingSince', 'firstTriedAt', 'open', 'crashes'] as const),
]
const OF_EVENT = [
  ...(['id', 'kind', 'origin', 'subscription', 'receivedAt', 'transportKey', 'identity', 'revision'] as const),
  ...(['entity', 'bodyHash'] as const),
]

export const CLAIMED_COLUMNS = [
  ...OF_DELIVERY.map((name) => `d.${columnOf(name)} as "${name}"`),
  ...OF_EVENT.map((name) => `e.${columnOf(name)} as "event.${name}"`),
  'd.released',
].join(', ')

export type ClaimedRow = Omit<ClaimedDelivery, 'released' | 'once' | 'open'> &
  Record<'once' | 'open', boolean | number> & { 'event.id': number; released: string | null }

export function claimedOf(row: ClaimedRow): { delivery: ClaimedDelivery; event: Omit<Event, 'body'> } {
  const values = row as unknown as Record<string, unknown>
  const delivery: Record<string, unknown> = {}
  for (const name of OF_DELIVERY) delivery[name] = values[name]
  delivery.once = Boolean(row.once)
  delivery.open = Boolean(row.open)
  delivery.released = row.released === null ? null : JSON.parse(row.released)
  const event: Record<string, unknown> = {}
  for (const name of OF_EVENT) event[name] = values[`event.${name}`]
  return { delivery: delivery as unknown as ClaimedDelivery, event: event as unknown as Omit<Event, 'body'> }
}

function columnOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
