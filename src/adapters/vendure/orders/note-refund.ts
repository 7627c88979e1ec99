import type { Attempt, Effect } from '../../../ports/attempt.ts'
import type { ReturnedGoods } from '../../../ports/orders.ts'
import { addNote, type Shop, type Step } from '../shop.ts'
import { orderOf } from './find-order.ts'
import { hasService } from './manual-method.ts'
import { hasMarkedNote, marked } from './mark.ts'
import { payBack } from './money-back.ts'
import { lineOf, pieces } from './order-lines.ts'
import { effectOf, reasonOf } from './refund.ts'
import type { ShopPayment } from './shop-order.ts'
import { priceOf } from './surcharges.ts'

/**
 * The till has given the money back. The shop's books follow where no payment service would be asked for money: a refund that
 * is settled at once; else a note for people.
 */
export async function noteRefund(shop: Shop, returned: ReturnedGoods, attempt: Attempt): Promise<Effect> {
  const { refund, line: goods, quantity } = returned
  const order = await orderOf(shop, refund, attempt)
  const line = lineOf(order, goods, shop.options)
  const count = pieces(quantity)
  const payments = await withoutService(shop, order.payments, attempt)
  if (payments.length < order.payments.length || payments.length === 0) {
    const note = marked(
      `${reasonOf(returned)}: ${quantity} × ${line.productVariant.name}. The till paid it back.`,
      attempt.key,
    )
    if (!hasMarkedNote(order, attempt.key)) await addNote(shop, order, { note, isPublic: false }, attempt)
    return { note: `order ${order.code}: noted` }
  }
  const money = {
    lines: [{ orderLineId: line.id, quantity: count }],
    amount: priceOf(order, line, count),
    reason: `${reasonOf(returned)}, paid back by the till`,
    payments,
  }
  const refunds = await payBack(shop, order, money, attempt)
  for (const { id, state } of refunds)
    if (state === 'Pending') {
      const input = { id, transactionId: refund.refundId }
      await shop.api.run(shop.operations.settleRefund, { input }, attempt.signal)
    }
  const settled = refunds.map((one) => ({ ...one, state: 'Settled' }))
  return effectOf(order, returned, settled)
}

async function withoutService(shop: Shop, payments: readonly ShopPayment[], { signal }: Step): Promise<ShopPayment[]> {
  const without: ShopPayment[] = []
  for (const payment of payments) if (!(await hasService(shop, payment, signal))) without.push(payment)
  return without
}
