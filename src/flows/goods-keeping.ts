import type { SubmittedCancellation, SubmittedOrder } from '../domain/catalogue/submitted.ts'
import type { OrderClaim } from '../domain/orders/order-evidence.ts'
import { isDeclined, type OrderUpdate, unpackedGoods } from '../domain/orders/order-update.ts'
import { type Event, keyPart, payloadOf } from '../domain/queue/event.ts'
import { idText } from '../domain/values/id.ts'
import { readOrderUpdate } from '../payloads/order-update.ts'
import type { Flow, Planned } from './flow.ts'
import { leavesOpen, updateOf } from './omnichannel/update.ts'

/*
 * Goods that are kept for an online order, on a platform that does not keep them with the order itself (`platform.reserveOrders` in
 * config). They are let go when the order is cancelled, or over; whatever is not runs out with its hours.
 */

const keeping = { port: 'platform', urgency: 'prompt' } as const

/** As many as the order says now: it is a level, so the newest counts. */
export const keepGoods: Flow = {
  ...keeping,
  name: 'keep-goods',
  kinds: ['OrderSubmitted', 'OrderChangeSubmitted'],
  method: 'keepGoods',
  latestWins: true,
  undoneBy: { flows: ['release-goods', 'release-goods-after'], leaves: () => null },
  // What the platform acknowledged of each order would be kept for good.
  plan: (event) => [{ part: '', entity: lineOf(event), version: null }],
  call: (event) => ({ port: 'platform', method: 'keepGoods', argument: payloadOf(event) as SubmittedOrder }),
}

export const releaseGoods: Flow = {
  ...keeping,
  name: 'release-goods',
  kinds: ['OrderCancelSubmitted'],
  method: 'releaseGoods',
  plan: (event) => [{ part: '', entity: lineOf(event) }],
  call: (event) => ({ port: 'platform', method: 'releaseGoods', argument: payloadOf(event) as SubmittedCancellation }),
}

/**
 * The store does not carry the order out, or the customer has it, or it is in its parcels: whether the platform lets reservations go
 * by itself that were made besides is not shown. What is let go makes no event of these kinds.
 */
export const releaseGoodsAfter: Flow = {
  ...keeping,
  name: 'release-goods-after',
  kinds: ['OmniChannelOrderUpdated', 'OmniChannelOrderFulfilled'],
  method: 'releaseGoods',
  toOrigin: true,
  plan({ kind, payload }) {
    const order = readOrderUpdate(payload)
    return order && isOver(kind, order) ? [{ part: '', entity: `kept:${keyPart(order.number)}` }] : []
  },
  claims: claimsOver,
  asksIfSent: (event) => (mayBeSent(updateOf(event)) ? 'anybody' : null),
  call(event, _, { isSent }) {
    const order = updateOf(event)
    // Where nobody knows that it is fetched, its goods run out with their hours.
    if (mayBeSent(order) && isSent !== false) return null
    return { port: 'platform', method: 'releaseGoods', argument: { orderNo: order.number } }
  },
}

/** Nothing of the order is kept any more. An order that is sent may still lack parcels when it is called Shipped. */
function isOver(kind: string, order: OrderUpdate): boolean {
  if (isOff(order)) return true
  if (kind !== 'OmniChannelOrderFulfilled' && order.status !== 'Shipped') return false
  return order.shipments === null || leavesOpen(order) || isPacked(order)
}

/** Whether parcels of it may be still to come, although none is listed. */
function mayBeSent(order: OrderUpdate): boolean {
  return leavesOpen(order) && !isOff(order)
}

function isOff({ status }: OrderUpdate): boolean {
  return status === 'Rejected' || status === 'Expired'
}

/** Whether parcels hold all that was not declined; what cannot be counted, or is not told, is not in them. */
function isPacked(order: OrderUpdate): boolean {
  const wanted = order.lines.filter(({ status }) => !isDeclined(status))
  const countable = wanted.every(({ gtin, quantity }) => gtin !== null && quantity !== null)
  return wanted.length > 0 && countable && unpackedGoods(order).length === 0
}

/** The status of an order that is packed is not shown; its parcels are. */
function claimsOver(event: Event): OrderClaim {
  const { number: order, shipments } = updateOf(event)
  const parcel = shipments?.at(-1)?.id
  return parcel === undefined ? { order, is: 'over' } : { order, is: 'packed', parcel }
}

/** After what is kept for it before; the order itself does not wait for them. */
function lineOf({ entity, payload }: Planned): string | null {
  const orderNo = idText(payload, 'orderNo')
  return orderNo === null ? entity : `kept:${keyPart(orderNo)}`
}
