import type { DeliveryState } from '../queue/delivery.ts'
import type { Urgency } from '../queue/lane.ts'
import type { Instant } from '../values/instant.ts'

/** A webhook as it was sent, and what it was answered. */
export interface Played {
  /** The recorded event. */
  event: number
  /** The id in the first answer that says that it is taken; null: there was none. */
  taken: number | null
  /** The ids in the answers to its copies. */
  again: number[]
  /** How often the hub was not there, or refused it for now. */
  refused: number
}

/** A delivery as the rehearsed hub's store has it at the end. */
export interface OwedThere {
  /** The name of the effect, as the destination was told it. */
  key: string
  event: number
  destination: string
  urgency: Urgency
  entity: string | null
  state: DeliveryState
  code: string | null
  /** A delivery that waits for a time that is still to come: the close of its store's day. */
  later: boolean
  /** The effect must not happen twice. */
  once: boolean
  /** When its event was taken. */
  receivedAt: Instant
}

/** An effect at a shadow destination, in the order in which they happened there. */
export interface Performed {
  destination: string
  key: string
  /** The call that it was part of, counted by destination. */
  call: number
  /** How many effects that call carried. */
  together: number
  /** When the call began, and how long it took (milliseconds). */
  at: Instant
  ms: number
}

/** Everything that was seen of a rehearsal. */
export interface Witnessed {
  played: readonly Played[]
  /** How long each answer that took a webhook was waited for (milliseconds). */
  answers: readonly number[]
  /**
   * The events of the platform that the rehearsed hub's store has, by id. `certain`: a copy of it is known again whatever came
   * meanwhile; an older version of an order is not, where no header names events (docs/delivery.md).
   */
  events: ReadonlyMap<number, { certain: boolean }>
  owed: readonly OwedThere[]
  performed: readonly Performed[]
  /** Shadow destinations, and how many calls each makes at once. */
  destinations: readonly { name: string; concurrency: number }[]
}
