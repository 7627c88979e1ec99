import type { Shop, Step } from '../shop.ts'
import { isOurs } from './mark.ts'
import { payBack, refundsOf, takePayments, told } from './money-back.ts'
import { type ShopOrder, surplus } from './shop-order.ts'

/**
 * The goods leave: what was reserved is taken, as a whole, and what the store declined of it is given back. Gives the order
 * as it is then, and a fact for the timeline.
 */
export async function capture(shop: Shop, order: ShopOrder, step: Step): Promise<{ order: ShopOrder; fact: string }> {
  const reserved = order.payments.some(({ state }) => state === 'Authorized')
  const paid = await takePayments(shop, order, step)
  const fact = reserved ? 'payment taken' : 'no payment to take'
  // A try that broke off may have taken the payment: what was declined is known by the cancellations then.
  if (surplus(paid) <= 0 || !(reserved || wasDeclined(paid))) return { order: paid, fact }
  const before = refundsOf(paid, step.key).reduce((sum, refund) => sum + refund.amount, 0)
  const { payments } = paid
  const money = { lines: [], amount: before + surplus(paid), reason: 'Declined by the store', payments }
  return { order: paid, fact: `${fact}, ${told(await payBack(shop, paid, money, step))}` }
}

function wasDeclined({ history }: ShopOrder): boolean {
  return history.items.some(({ type, data }) => type === 'ORDER_CANCELLATION' && isOurs(data.reason))
}
