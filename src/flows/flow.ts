import type { Call, PortName } from '../adapters/adapter.ts'
import type { Event } from '../domain/event.ts'
import type { Instant } from '../domain/instant.ts'
import type { Urgency } from '../domain/lane.ts'

/** An event as planning sees it: before it has an id, with its JSON read. */
export interface Planned {
  kind: string
  origin: string
  identity: string | null
  entity: string | null
  payload: unknown
}

/** One thing to do about an event. */
interface Step {
  /** Tells the steps of one flow apart (`shipment-2`); empty for the only one. Part of the delivery's key. */
  part: string
  /** Steps about the same thing go out in order; null: in any. */
  entity: string | null
  /** Not before this instant. */
  notBefore?: Instant
  /** Equal values may go out in one call. */
  batch?: string
  /** Names what is sent. Where the destination acknowledged the same for this entity last, nothing is sent, unless forced. */
  digest?: string
  force?: true
}

/** A rule of the business: these kinds make these steps on this port. */
export interface Flow {
  name: string
  kinds: readonly string[] | 'all'
  port: PortName
  /** Its effect must not happen twice, whatever happens (an order, a refund, a message). */
  once?: true
  /** What is done about an uncertain `once` effect that no `find` can settle. */
  onUnknown?: 'repeat' | 'hold'
  /** No system can be asked whether the effect is there, though its port can look up others: `onUnknown` decides. */
  noFind?: true
  /** Only the newest of an entity matters: older ones that still wait are superseded by it (levels, prices). */
  latestWins?: true
  urgency: Urgency
  /** Runs when the event is taken; pure. None: nothing to do about this one. */
  plan(event: Planned): Step[]
  /** The call that carries a step out; pure. */
  call(event: Event, step: Pick<Step, 'part'>): Call
}
