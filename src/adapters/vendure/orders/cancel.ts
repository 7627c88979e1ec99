import type { Attempt, Effect } from '../../../ports/attempt.ts'
import type { DeclinedGoods, OrderNumber } from '../../../ports/orders.ts'
import { runOrder, type Shop, type Step } from '../shop.ts'
import { orderOf } from './find-order.ts'
import { hasMark, marked } from './mark.ts'
import { payBack, refundsOf, takenOf, told } from './money-back.ts'
import { lineOf, pieces } from './order-lines.ts'
import { releasePayments } from './reserved.ts'
import { refundable, type ShopOrder, surplus } from './shop-order.ts'
import { priceOf } from './surcharges.ts'

const DECLINED = 'Declined by the store'

/**
 * The store does not have it: the lines are cancelled, and what was paid for them is given back. Of a payment that is
 * only reserved nothing can be given back yet: it is when the payment is taken (see collected.ts).
 */
export async function declineGoods(
  shop: Shop,
  { order: update, line: declined, quantity }: DeclinedGoods,
  attempt: Attempt,
): Promise<Effect> {
  const order = await orderOf(shop, update, attempt)
  const line = lineOf(order, declined, shop.options)
  const lines = [{ orderLineId: line.id, quantity: pieces(quantity) }]
  const after = wasCancelled(order, attempt.key)
    ? order
    : await cancel(shop, order, { lines, reason: marked(DECLINED, attempt.key) }, attempt)
  const what = `order ${order.code}: ${quantity} declined`
  if (after.state === 'Cancelled') return { note: `${what}, ${await returnAll(shop, after, DECLINED, attempt)}` }
  if (takenOf(after) === 0) return { note: `${what}, nothing was taken yet` }
  const before = refundsOf(after, attempt.key).reduce((sum, refund) => sum + refund.amount, 0)
  const price = priceOf(order, line, pieces(quantity))
  // Where a try broke off, the collection may have given it back meanwhile: then there is less left over.
  const amount = after === order ? Math.min(price, before + Math.max(0, surplus(order))) : price
  const { payments } = after
  const refunds = await payBack(shop, after, { lines: [], amount, reason: DECLINED, payments }, attempt)
  return { note: `${what}, ${told(refunds)}` }
}

/** The order is off: cancelled as a whole, what was reserved released, what was paid given back. */
export async function expireOrder(shop: Shop, named: OrderNumber, attempt: Attempt): Promise<Effect> {
  const order = await orderOf(shop, named, attempt)
  const reason = 'Not collected in time'
  const after =
    order.state === 'Cancelled'
      ? order
      : await cancel(shop, order, { cancelShipping: true, reason: marked(reason, attempt.key) }, attempt)
  return { note: `order ${order.code}: cancelled, ${await returnAll(shop, after, reason, attempt)}` }
}

async function cancel(shop: Shop, { id }: ShopOrder, given: object, step: Step): Promise<ShopOrder> {
  return await runOrder(shop, shop.operations.cancel, { input: { orderId: id, ...given } }, step)
}

/** The money of an order that is off: nothing is left of what was reserved or taken. */
async function returnAll(shop: Shop, order: ShopOrder, reason: string, step: Step): Promise<string> {
  const released = await releasePayments(shop, order, step)
  const before = refundsOf(order, step.key).reduce((sum, refund) => sum + refund.amount, 0)
  const amount = before + order.payments.reduce((sum, payment) => sum + refundable(payment), 0)
  const { payments } = order
  const refunds = await payBack(shop, order, { lines: [], amount, reason, payments }, step)
  return released > 0 ? `reserved money released, ${told(refunds)}` : told(refunds)
}

/** Whether the step with this key has cancelled something of the order, or all of it. */
export function wasCancelled({ history }: ShopOrder, key: string): boolean {
  return history.items.some(({ type, data }) => type === 'ORDER_CANCELLATION' && hasMark(data.reason, key))
}
