import { makingEntity, orderEntity } from '../../domain/orders/order-entity.ts'
import * as facts from '../../domain/orders/order-facts.ts'
import {
  hasParcels,
  isDeclined,
  mergedLines,
  type OrderLineUpdate,
  type OrderUpdate,
} from '../../domain/orders/order-update.ts'
import { type Event, payloadOf } from '../../domain/queue/event.ts'
import { HeldError } from '../../domain/values/errors.ts'
import { readOrderUpdate } from '../../payloads/order-update.ts'
import type { Known, Step } from '../flow.ts'
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

export function stepOf(number: string, part: string, effect: string, unless: readonly string[] = []): Step {
  return { part, entity: orderEntity(number), effect, unless }
}

/** Who is to say whether an order is sent: an update that names no parcels may come before they are packed. */
export function asksIfSent(event: Event): 'submissions' | 'anybody' | null {
  const order = updateOf(event)
  if (hasParcels(order)) return null
  return leavesOpen(order) ? 'anybody' : 'submissions'
}

/** Whether an update lists parcels, and none of them: so a platform may write of any order. */
export function leavesOpen({ shipments }: Pick<OrderUpdate, 'shipments'>): boolean {
  return shipments?.length === 0
}

/** Whether the customer fetches the order. Throws a HeldError where the event leaves it open, and nobody can tell. */
export function isFetched(event: Event, { isSent, released }: Pick<Known, 'isSent' | 'released'>): boolean {
  if (released !== null) return true
  if (isSent !== null) return !isSent
  if (!leavesOpen(updateOf(event))) return true
  throw new HeldError(
    `the platform lists no parcels of order ${orderOf(event)}, and neither a submission nor its record says whether the customer fetches it. Release this if so, skip it if the store sends it`,
    { code: 'fetched-or-sent' },
  )
}

export function madeBy(event: Event): string | null {
  const number = orderOf(event)
  return number === null ? null : makingEntity(number)
}
