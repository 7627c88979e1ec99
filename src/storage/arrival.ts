import type { Link } from '../domain/orders/link.ts'
import type { ComparedFields } from '../domain/queue/event.ts'
import type { SearchKey } from '../domain/queue/search-keys.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Released } from './claim.ts'
import type { EventRow } from './rows.ts'
import type { RowOf } from './schema.ts'

export interface Unindexed extends Pick<RowOf<'events'>, 'id' | 'kind' | 'transportKey'> {
  body: Uint8Array | null
}

export interface EventKey extends SearchKey {
  event: number
}

export interface Found {
  key: SearchKey
  event: EventRow
}

type OfEvent = 'kind' | 'origin' | 'subscription' | 'receivedAt' | 'transportKey' | 'identity' | 'entity'

export interface Arrival extends Pick<RowOf<'events'>, OfEvent> {
  headers: Record<string, string>
  body: Uint8Array
  /** First 16 bytes of the body's SHA-256, in hex. */
  bodyHash: string
  versioned: boolean
  repeatable?: true
  exact: boolean
  /** Older than the deduplication keys reach back. */
  old?: true
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

type OfRow = 'flow' | 'part' | 'destination' | 'urgency' | 'entity' | 'batch' | 'digest' | 'force'

export interface NewDelivery extends Pick<RowOf<'deliveries'>, OfRow> {
  notBefore: Instant | null
  /** At most once for ever, whatever event or destination. */
  once: boolean
  each?: boolean
  /**
   * Waiting, dead and skipped deliveries of the same flow, part, entity and destination become `superseded` by this
   * one, or this one by a higher `version`.
   */
  latestWins: boolean
  subject?: string | null
  /** For `stale` (Claim). Not given with `latestWins`: the event's id. */
  version?: number | null
  /** With `once`, the effect is enqueued once under this name and flow, whichever event asks for it. */
  effect?: string | null
  /** A less exact name, shared with effects of other events: blocks them unless they were enqueued under an own name. */
  keyByNumber?: string | null
  said?: string | null
  unless?: readonly string[]
  yields?: boolean
  released?: Released
}
