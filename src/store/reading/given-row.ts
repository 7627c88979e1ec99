import type { Event } from '../../domain/queue/event.ts'
import type { DeliveryRow } from '../screens.ts'

/** With all that names its effect (deliveryKey). */
export interface GivenRow
  extends Pick<
    DeliveryRow,
    'id' | 'flow' | 'part' | 'destination' | 'state' | 'settledAt' | 'code' | 'tries' | 'firstTriedAt'
  > {
  effect: string | null
  /** How often it was in flight when the process died. */
  crashes: number
  /** `size` of the body in bytes. */
  event: Omit<Event, 'body'> & { size: number }
}

export interface KeptBody extends Pick<Event, 'id' | 'subscription' | 'body'> {}

/** `next`: the event to go on behind; null: none. */
export interface GivenPage {
  rows: GivenRow[]
  next: number | null
}
