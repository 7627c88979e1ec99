import type { Link } from '../domain/orders/link.ts'
import type { Next } from '../domain/queue/delivery.ts'
import type { Event } from '../domain/queue/event.ts'
import type { Urgency } from '../domain/queue/lane.ts'
import type { Instant } from '../domain/values/instant.ts'

/** How much a lane can begin now. */
export interface Room {
  calls: number
  /** The calls of this claim after which no yielding delivery begins any more: as bulk, it leaves a call free. */
  yielding: number
  /** Yielding deliveries take their turn with the others all the same, for this claim. */
  inTurn?: boolean
  /** Bodies of all calls together; one call goes out whatever its size. */
  bytes: number
  /**
   * The most of one call. A batch that is not full waits for more until nothing was added for `linger` milliseconds, but
   * for ten times that at most.
   */
  batch: { items: number; bytes: number; linger: number }
}

export interface Claims {
  /** Deliveries that go out together: one alone, or several of one flow with equal `batch`, one of an entity at most. */
  calls: Claim[][]
  /** When the lane's next delivery is due (or its next batch, full or not), if none is now; null: nothing waits for a time. */
  wakeAt: Instant | null
  /** Yielding deliveries are due, and had to leave a call free (Room): a call that ends makes room for them. */
  yieldingLeft?: true
}

/** A right to carry out one delivery, once. */
export interface Claim {
  /** Fences off whoever comes back too late. */
  fence: number
  delivery: ClaimedDelivery
  event: Event
  /** The destination's last delivered one of this flow and subject had the same digest: nothing need be sent. */
  unchanged: boolean
  /** The destination's last delivered one had a higher version: this one is older, and must not be sent. */
  outdated: boolean
  /** The destination has acknowledged nothing of this subject, and nothing of it was superseded that may have landed. */
  untold?: true
  /** An event has proven one of the facts of `unless`: which event; null: none. */
  overtaken: number | null
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
  /** A call may have had its effect (design §6: previous `open`). */
  open: boolean
  /** The person who let it go when it was held for what it says, and why; null: nobody. */
  released: Released | null
  /** How often it was in flight when the process died or stalled, without an outcome of its own since. */
  crashes: number
}

/** How a delivery begins that nobody has tried yet. */
export const NEVER_TRIED = { tries: 0, finds: 0, failingSince: null, firstTriedAt: null, open: false, crashes: 0 }

/** A person's decision that a delivery is to go out as it is. */
export interface Released {
  by: string
  reason: string
  /** The address of a message, where it is not to go to that of its event. */
  to?: string
}

export interface ClaimResult {
  fence: number
  delivery: number
  next: Next
  attempt: { at: Instant; ms: number; outcome: string; code: string; note: string | null }
  links: Link[]
  /** The delivery counts as delivered, but not all of it was sent, or nothing: no later one is `unchanged` because of it. */
  notWhole?: true
  /** See `ClaimedDelivery`, from now on; none where it is left out. */
  crashes?: number
}

/** Whether nothing was left to do by a result: the destination keeps what it has, and what is older is not for it any more. */
export function leavesNothing({ outcome, code }: ClaimResult['attempt']): boolean {
  return outcome === 'superseded' && (code === 'nothing-left' || code === 'unchanged')
}

/** Whether a result is of the first try, and delivered it. `firstTriedAt`: that of its claim. */
export function isAtOnce({ next, attempt }: ClaimResult, firstTriedAt: Instant | null | undefined): boolean {
  return firstTriedAt === null && next.state === 'delivered' && attempt.outcome === 'delivered'
}
