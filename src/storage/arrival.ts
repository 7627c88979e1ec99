import type { Link } from '../domain/orders/link.ts'
import type { ComparedFields } from '../domain/queue/event.ts'
import type { SearchKey } from '../domain/queue/search-keys.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { NewDelivery } from './new-delivery.ts'
import type { EventRow } from './screens.ts'

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
