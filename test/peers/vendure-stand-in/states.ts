import { type Refused, refused } from './fault.ts'
import type { Order } from './order.ts'
import { allocate } from './stock.ts'

/** Where an order may go from each state, in Vendure's default process. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  Draft: ['Cancelled', 'ArrangingPayment'],
  ArrangingPayment: ['PaymentAuthorized', 'PaymentSettled', 'AddingItems', 'Cancelled'],
  PaymentAuthorized: ['PaymentSettled', 'Cancelled', 'Modifying', 'ArrangingAdditionalPayment'],
  PaymentSettled: [
    ...['PartiallyDelivered', 'Delivered', 'PartiallyShipped', 'Shipped', 'Cancelled', 'Modifying'],
    'ArrangingAdditionalPayment',
  ],
  PartiallyShipped: ['Shipped', 'PartiallyDelivered', 'Cancelled', 'Modifying'],
  Shipped: ['PartiallyDelivered', 'Delivered', 'Cancelled', 'Modifying'],
  PartiallyDelivered: ['Delivered', 'Cancelled', 'Modifying'],
  Delivered: ['Cancelled'],
  Modifying: [
    ...['PaymentAuthorized', 'PaymentSettled', 'PartiallyShipped', 'Shipped', 'PartiallyDelivered'],
    'ArrangingAdditionalPayment',
  ],
  ArrangingAdditionalPayment: [
    ...['PaymentAuthorized', 'PaymentSettled', 'PartiallyShipped', 'Shipped', 'PartiallyDelivered', 'Cancelled'],
  ],
}

/** Moves an order on, where the process and what is in it let it. */
export function moveOrder(order: Order, state: string): Order | Refused {
  const why = NEXT[order.state]?.includes(state) ? hindrance(order, state) : 'no such transition'
  if (why !== null)
    return refused('OrderStateTransitionError', { transitionError: why, fromState: order.state, toState: state })
  const placed = order.orderPlacedAt === null && (state === 'PaymentAuthorized' || state === 'PaymentSettled')
  order.state = state
  order.updatedAt = new Date().toISOString()
  if (placed) {
    order.orderPlacedAt = order.updatedAt
    for (const { productVariant, quantity } of order.lines) allocate(productVariant, quantity)
  }
  return order
}

/** The state that its fulfilments bring an order to. */
export function followFulfilments(order: Order): void {
  const pieces = order.lines.reduce((sum, { quantity }) => sum + quantity, 0)
  const inState = (states: string[]) =>
    order.lines
      .flatMap(({ fulfillmentLines }) => fulfillmentLines)
      .filter(({ fulfillment }) => states.includes(fulfillment.state))
      .reduce((sum, { quantity }) => sum + quantity, 0)
  const delivered = inState(['Delivered'])
  const sent = inState(['Shipped', 'Delivered'])
  const part = delivered > 0 ? 'PartiallyDelivered' : 'PartiallyShipped'
  const state = delivered === pieces ? 'Delivered' : delivered === 0 && sent === pieces ? 'Shipped' : part
  if (sent > 0 && state !== order.state) moveOrder(order, state)
}

function hindrance(order: Order, state: string): string | null {
  if (state === 'ArrangingPayment') {
    if (order.lines.length === 0) return 'the order is empty'
    if (!order.customer) return 'the order has no customer'
    if (order.shippingLines.length === 0) return 'the order has no shipping method'
  }
  if (state === 'PaymentSettled' && order.settled < order.totalWithTax) return 'the total is not covered'
  if (state === 'ArrangingAdditionalPayment' && order.settled >= order.totalWithTax) return 'nothing is left to pay'
  return null
}
