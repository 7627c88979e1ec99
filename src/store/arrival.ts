import type { Link } from '../domain/orders/link.ts'
import type { ComparedFields } from '../domain/queue/event.ts'
import type { SearchKey } from '../domain/queue/search-keys.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Owed } from './owed.ts'
import type { EventRow } from './screens.ts'

/** An event that cannot be found yet. Its body is null where it is not kept, or too large to look through. */
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

/** An arrival, read as far as the hub needs to take it. */
export interface Arrival {
  kind: string
  origin: string
  subscription: string | null
  receivedAt: Instant
  /** Request headers worth keeping; secrets dropped. */
  headers: Record<string, string>
  body: Uint8Array
  /** First 16 bytes of the body's SHA-256, in hex. */
  bodyHash: string
  transportKey: string | null
  identity: string | null
  versioned: boolean
  /** A versioned kind: each time that it comes about is to have its effect (domain/queue/dedupe.ts). */
  repeatable?: true
  /** Other bytes under the same immutable identity are a conflict (domain/queue/dedupe.ts). */
  exact: boolean
  /** It is older than what is remembered (domain/queue/dedupe.ts). */
  old?: true
  entity: string | null
  facts: ComparedFields | null
  /** Why it cannot be read; it is kept in quarantine. */
  problem: string | null
  /**
   * The older event that this arrival completes, because it says all that that one says, and more: they were compared by that
   * event's bytes, which have this hash. It is completed as long as nobody has acted on it and it is still the same.
   */
  completes?: { event: number; bodyHash: string }
  /** The arrival was refused and its body is not here (too large): kept as a trace, dedupes nothing. */
  refused?: true
  deliveries: Owed[]
  /** Nobody owes anything because of it, and that is right (an order that nobody has begun with): it is not `unrouted`. */
  quiet?: boolean
  /**
   * Facts that it proves, remembered as long as keys are. An open (uncertain) delivery whose effect is proven is delivered:
   * code `proven`, with an attempt that names the event. A duplicate, a conflict and a quarantined arrival prove nothing.
   */
  proves?: string[]
  /** Links that the arrival itself proves. */
  links?: Link[]
  /** The state that destinations have acknowledged by this event: who submits a customer knows it. */
  acknowledges?: { destination: string; flow: string; subject: string; digest: string }[]
  /** The request of an own system (`origin`) that it is a line of. The request's row is made with its first line that is kept. */
  submission?: SubmissionLine
}

/** A line of a submission: `resource` and `key` (its Idempotency-Key) name the submission among those of its system. */
export interface SubmissionLine {
  resource: string
  key: string
  /** From 1. */
  line: number
}

/** `submission`: the one that the (first) event came in, if any. */
export type Verdict =
  | {
      status: 'accepted'
      id: number
      unrouted: boolean
      submission: number | null
      /** Another event that came with the same transport key: the header names no event of its own. Null: none. */
      sameKeyAs: number | null
    }
  | {
      status: 'duplicate'
      id: number
      /** The arrival held more than the first, which it completed. */
      completed: boolean
      /** The arrival said something else than the first, under the same key. */
      otherBytes: boolean
      /** The arrival cannot be read: it is a copy of what is in quarantine. */
      unread?: true
      /** And nobody has acted on the first: if this one is fuller, it may complete it (Arrival.completes). */
      comparable?: true
      submission: number | null
    }
  | { status: 'conflict'; id: number; with: number; submission: number | null }
  | { status: 'quarantined'; id: number }
