import type { Cause } from './causes.ts'

/** What the inbox has of a record of the log. `unclear`: it has something that may be it. */
export type Held = 'here' | 'lacking' | 'unclear'

/** An event of the inbox that a record is known again by. */
export interface KnownAgain {
  by: 'transport' | 'identity' | 'bytes'
  /** The event came under a key of its own. */
  hasKey: boolean
  sameBytes: boolean
  /** No webhook brought it: the hub has read it at the platform. */
  isPulled: boolean
  /** The event's identity is of one fact, for ever. */
  immutable: boolean
}

/** Whether a record whose key nobody has seen is here all the same. `keyed`: a header names each event that arrives. */
export function heldBy(found: KnownAgain | null, keyed: boolean): Held {
  if (found === null) return keyed ? 'lacking' : 'unclear'
  if (found.by === 'transport' || (found.by === 'identity' && found.immutable)) return 'here'
  if (found.hasKey) return 'lacking'
  if (found.sameBytes) return 'here'
  // What webhooks bring has keys: something else is here, and what it was changed to may be another thing.
  return keyed && found.isPulled ? 'lacking' : 'unclear'
}

/**
 * The cause of the gap that a record of the log opens; null: none. One that failed at the platform and is here lost its 2xx on
 * the way.
 */
export function causeOf(held: Held, success: boolean): Cause | null {
  if (held === 'here') return null
  if (held === 'unclear') return 'unmatched'
  return success ? 'claimed' : 'failed'
}
