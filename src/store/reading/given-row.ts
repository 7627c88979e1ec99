import type { Event } from '../../domain/queue/event.ts'
import type { DeliveryRow } from '../screens.ts'

/** A delivery, with everything that its effect is named by (deliveryKey). */
export interface GivenRow
  extends Pick<DeliveryRow, 'id' | 'flow' | 'part' | 'destination' | 'state' | 'settledAt' | 'code'> {
  effect: string | null
  /** `size`: of its body, in bytes. */
  event: Omit<Event, 'body'> & { size: number }
}

/** Deliveries of some events; `next`: the event to go on behind; null: there are no more. */
export interface GivenPage {
  rows: GivenRow[]
  next: number | null
}
