import { PermanentError } from '../../../domain/values/errors.ts'
import type { Shop, Step } from '../shop.ts'
import { isOurs } from './mark.ts'
import { payBack, refundsOf, told } from './money-back.ts'
import { takePayments } from './reserved.ts'
import { notPaid, type ShopOrder, surplus } from './shop-order.ts'

/**
 * The goods leave: what was reserved is taken, as a whole, and what the store declined of it is given back. Gives the order
 * as it is then, and a fact for the timeline. Throws a PermanentError `payment-not-taken` where the payment service refused for
 * good: a payment of which it did so is never taken in Vendure any more.
 */
export async function capture(shop: Shop, order: ShopOrder, step: Step): Promise<{ order: ShopOrder; fact: string }> {
  const reserved = order.payments.some(({ state }) => state === 'Authorized')
  const paid = await takePayments(shop, order, step)
  requirePaid(shop, paid)
  const fact = reserved ? 'payment taken' : 'no payment to take'
  // A try that broke off may have taken the payment: what was declined is known by the cancellations then.
  if (surplus(paid) <= 0 || !(reserved || wasDeclined(paid))) return { order: paid, fact }
  const before = refundsOf(paid, step.key).reduce((sum, refund) => sum + refund.amount, 0)
  const { payments } = paid
  const money = { lines: [], amount: before + surplus(paid), reason: 'Declined by the store', payments }
  return { order: paid, fact: `${fact}, ${told(await payBack(shop, paid, money, step))}` }
}

function requirePaid({ api, amounts }: Shop, order: ShopOrder): void {
  const missing = notPaid(order)
  if (missing === 0) return
  const { code, currencyCode, totalWithTax, payments } = order
  const shown = (amount: number) => `${amounts.decimal(amount)} ${currencyCode}`
  const states = payments.map(({ id, state }) => `${id} ${state}`).join(', ')
  throw new PermanentError(
    `${api.destination}: order ${code} costs ${shown(totalWithTax)}, and ${shown(missing)} of it was not taken (payments: ${states}), but the goods leave. Look at the payment service, get the money in another way, enter it in the shop as a manual payment of the order, then retry this.`,
    { code: 'payment-not-taken' },
  )
}

function wasDeclined({ history }: ShopOrder): boolean {
  return history.items.some(({ type, data }) => type === 'ORDER_CANCELLATION' && isOurs(data.reason))
}
