import * as facts from '../../domain/orders/order-facts.ts'
import {
  isDeclined,
  mergedLines,
  type OrderLineUpdate,
  type OrderUpdate,
  type Shipment,
} from '../../domain/orders/order-update.ts'
import { type Event, payloadOf } from '../../domain/queue/event.ts'
import { digestOf } from '../../domain/values/digest.ts'
import { readOrderUpdate } from '../../payloads/order-update.ts'
import type { Planned, Step } from '../flow.ts'
import { expiredOrder, RELEASED } from './ran-out.ts'
import { unreadable } from './told.ts'

/*
 * Online orders and stores (spec, "What the service does" 4; "Omnichannel order status"; Events 4 to 6). An update is the
 * whole order, without a time: what it calls for is brought about once, and a state that a later one has overtaken calls
 * for nothing. Rank: UnHandled < Picked < Shipped; Rejected, Expired, Declined and Returned are final.
 */

export const UPDATED = 'OmniChannelOrderUpdated'

export const FULFILLED = 'OmniChannelOrderFulfilled'

export const orders = { port: 'orders', once: true, urgency: 'prompt' } as const

/** The number of the order that an event is about. */
export function orderOf(event: Event): string | null {
  const { kind } = event
  return kind === RELEASED ? expiredOrder({ kind, payload: payloadOf(event) }) : updateOf(event).number
}

/** How a fact of an update's order is named: by its number, and as that of the one order (payloads/one-order.ts). */
export function namesOf(fact: string, event: Event): string[] {
  const { platformId } = updateOf(event)
  return platformId === null ? [fact] : [facts.ofOneOrder(fact, platformId), fact]
}

/** Declined lines of an order, each with its own `key`: those that say so, and all of an order that is Rejected. */
export function declinedLines({ status, lines }: OrderUpdate): OrderLineUpdate[] {
  return mergedLines(lines.filter((line) => status === 'Rejected' || isDeclined(line.status)))
}

export function updateOf(event: Pick<Event, 'body'>): OrderUpdate {
  return readOrderUpdate(payloadOf(event)) ?? unreadable('orderNo or status')
}

/** The fact that a parcel was sent with these contents; with others, it is another fact. */
export function packedAs(number: string, { id, items }: Shipment): string {
  return facts.packed(number, id, digestOf(items.toSorted((a, b) => (a.gtin < b.gtin ? -1 : 1))).slice(0, 12))
}

export function isCollected(kind: string, { status }: OrderUpdate): boolean {
  return kind === FULFILLED || status === 'Shipped'
}

/** Facts that an update proves by its status; an unknown status proves nothing, so that it is seen as not acted on. */
export function provenByUpdate({ kind, payload }: Planned): string[] {
  const order = readOrderUpdate(payload)
  if (!order) return []
  const { number, status, shipments } = order
  const known = [facts.placed(number)]
  if (isCollected(kind, order)) return shipments ? known : [...known, facts.collected(number)]
  switch (status) {
    case 'UnHandled':
    case 'Picked':
    case 'Returned':
      return known
    case 'Rejected':
      return [...known, facts.rejected(number)]
    case 'Expired':
      return [...known, facts.expired(number)]
    default:
      return []
  }
}

export function stepOf(number: string, part: string, effect: string, unless: readonly string[] = []): Step {
  return { part, entity: facts.orderEntity(number), effect, unless }
}

export function madeBy(event: Event): string | null {
  const number = orderOf(event)
  return number === null ? null : facts.makingEntity(number)
}
