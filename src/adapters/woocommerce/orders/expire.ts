import { PermanentError } from '../../../domain/values/errors.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import type { OrderNumber } from '../../../ports/orders.ts'
import { tell } from '../notes.ts'
import { filled } from '../options-texts.ts'
import { isOff, META, metaOf, type ShopOrder, type ShopRefund } from '../people/shop-order.ts'
import { extrasLeft, leftOf, type RefundPart, restOf } from '../refunds/refund-parts.ts'
import { checkedRefund, refundOf, refundOnce, refundsOf } from '../refunds/refunds.ts'
import { wasPaid } from '../refunds/was-paid.ts'
import { articlesOf } from './find-lines.ts'
import { locateOrder } from './locate-order.ts'
import { changeOrder, type OrderContext } from './order-context.ts'
import { piecesLeft } from './pieces.ts'

/**
 * Nobody came for it: what was paid is given back, the customer is told, and the order is cancelled last, so that each try
 * goes on where the one before broke off.
 */
export async function expire(
  context: OrderContext,
  named: OrderNumber,
  attempt: Attempt,
  find = false,
): Promise<Effect | null> {
  const { options, destination } = context
  const { signal, key } = attempt
  const order = await locateOrder(context, named, attempt)
  // WooCommerce gives the goods of an order that is cancelled back to its own count.
  const movedStock = articlesOf(order.line_items, named.lines)
  if (metaOf(order, META.expired) === key) return { note: `order ${order.number}, ${order.status}`, movedStock }
  const refunds = wasPaid(context, order) ? await refundsOf(context, order, signal) : []
  const there = refundOf(key, refunds)
  if (find && !there) return null
  if (!there && isOff(order)) return { note: `order ${order.number}, left as it is: ${order.status}` }
  if (order.status === options.statuses.collected)
    throw new PermanentError(
      `${destination}: order ${order.number} is ${order.status} in the shop, but a store says that nobody fetched it. Ask the store; if it is so, refund it in the shop, then skip this.`,
      { code: 'order-completed' },
    )
  if (there) checkedRefund(context, order, there, options.refundPayments)
  else if (leftOf(order, refunds).amount !== '0' && wasPaid(context, order))
    await refundOnce(
      context,
      order,
      refunds,
      {
        parts: allOf(order, refunds),
        reason: filled(options.texts.refundExpired, { number: order.number }),
        payBack: options.refundPayments,
      },
      attempt,
    )
  await tell(context, order, 'expired', { number: order.number }, attempt)
  const changes = { status: options.statuses.cancelled, meta_data: [{ key: META.expired, value: key }] }
  const changed = await changeOrder(context, order, changes, signal)
  const paid = wasPaid(context, order) ? 'refunded' : 'nothing was paid'
  return { note: `order ${order.number}, ${changed.status}, ${paid}`, movedStock }
}

function allOf(order: ShopOrder, refunds: readonly ShopRefund[]): RefundPart[] {
  const goods = order.line_items
    .map((line) => restOf(line, Math.max(0, piecesLeft(line, refunds)), refunds, order.currency))
    .filter(({ quantity }) => quantity !== 0)
  return [...goods, ...extrasLeft(order, refunds)]
}
