import type { Event } from '../../domain/queue/event.ts'
import type { DeliveryRow } from '../screens.ts'

/** A delivery, with everything that its effect is named by (deliveryKey). */
export interface GivenRow
  extends Pick<
    DeliveryRow,
    'id' | 'flow' | 'part' | 'destination' | 'state' | 'settledAt' | 'code' | 'tries' | 'firstTriedAt'
  > {
  effect: string | null
  /** How often it was in flight when the process died. */
  crashes: number
  /** `size`: of its body, in bytes. */
  event: Omit<Event, 'body'> & { size: number }
}

/** The body of an event, and the road that it came by (Event.subscription). */
export interface KeptBody extends Pick<Event, 'id' | 'subscription' | 'body'> {}

/** Deliveries of some events; `next`: the event to go on behind; null: there are no more. */
export interface GivenPage {
  rows: GivenRow[]
  next: number | null
}
