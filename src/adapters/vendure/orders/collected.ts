import type { OrderUpdate } from '../../../domain/orders/order-update.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import { readOrder, type Shop } from '../shop.ts'
import { capture } from './capture.ts'
import { orderOf } from './find-order.ts'
import { deliver, fulfil, underWay } from './fulfil.ts'
import { type ShopOrder, unfulfilled } from './shop-order.ts'

/**
 * The customer has it: the payment is taken, and all that is left is fulfilled and delivered. Each step looks at the order
 * first, so that a second time does nothing.
 */
export async function markCollected(shop: Shop, update: OrderUpdate, attempt: Attempt): Promise<Effect> {
  const found = await orderOf(shop, update, attempt)
  if (found.state === 'Cancelled') return { note: `order ${found.code}: left as it is: Cancelled` }
  const { order, fact } = await capture(shop, found, attempt)
  const lines = order.lines.flatMap((line) => {
    const quantity = unfulfilled(line)
    return quantity > 0 ? [{ orderLineId: line.id, quantity }] : []
  })
  if (lines.length > 0) await fulfil(shop, lines, { method: 'Collected in store', trackingCode: null }, attempt)
  const now = lines.length > 0 ? ((await readOrder(shop, order.id, attempt)) ?? order) : order
  return { note: `order ${order.code}, ${fact}, ${await deliver(shop, now, attempt)} delivered` }
}

/** Whether the customer has all of it. Money that was taken alone tells nothing: many shops take it at once. */
export function isDelivered(order: ShopOrder): boolean {
  const { fulfillments, lines } = order
  if (fulfillments.length === 0 || underWay(order).length > 0) return false
  return order.state !== 'Cancelled' && lines.every((line) => unfulfilled(line) === 0)
}
