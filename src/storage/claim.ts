import type { Link } from '../domain/orders/link.ts'
import type { Next } from '../domain/queue/delivery.ts'
import type { Event } from '../domain/queue/event.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { RowOf } from './schema.ts'

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

type Step = 'id' | 'flow' | 'part' | 'destination' | 'urgency' | 'entity' | 'batch' | 'once' | 'effect'

/**
 * `open`: in doubt, as a call may have had its effect. `crashes`: times it was in flight when the process died or
 * stalled, without an outcome since.
 */
export interface ClaimedDelivery extends Pick<RowOf<'deliveries'>, Step | keyof typeof NEVER_TRIED> {
  released: Released | null
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
