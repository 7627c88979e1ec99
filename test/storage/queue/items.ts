import type { Event } from '../../../src/domain/queue/event.ts'
import type { NewDelivery } from '../../../src/storage/arrival.ts'
import type { ClaimLimits } from '../../../src/storage/claim.ts'
import { type Item, itemOfStep } from '../../../src/storage/queue/queue.ts'
import { PLENTY } from '../acting.ts'
import { pending } from '../arrivals.ts'

export const NOW = 1_000_000

/** What a story says about a delivery; the rest is ordinary. */
interface Given extends Partial<NewDelivery> {
  /** The delivery, and the event unless that is given. */
  id: number
  event?: number
  size?: number
}

/** A delivery that was just owed, due at once. */
export function item({ id, event = id, size = 100, ...step }: Given): Item {
  return itemOfStep(id, pending(step), eventOf(event), new Uint8Array(size))
}

function eventOf(id: number): Omit<Event, 'body'> {
  return {
    id,
    kind: 'InvoiceCreated',
    origin: 'platform',
    subscription: 'all',
    receivedAt: NOW,
    transportKey: null,
    identity: null,
    revision: 0,
    entity: null,
    bodyHash: '',
  }
}

export function idsOf(items: readonly Item[]): number[] {
  return items.map(({ delivery }) => delivery.id)
}

export function roomFor({
  batch,
  ...given
}: Partial<Omit<ClaimLimits, 'batch'>> & { batch?: Partial<ClaimLimits['batch']> }): ClaimLimits {
  return { ...PLENTY, ...given, batch: { ...PLENTY.batch, ...batch } }
}
