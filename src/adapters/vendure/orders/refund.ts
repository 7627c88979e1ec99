import type { Attempt, Effect } from '../../../ports/attempt.ts'
import type { ReturnedGoods } from '../../../ports/orders.ts'
import type { Shop } from '../shop.ts'
import { orderOf } from './find-order.ts'
import { payBack, type Refunded, told } from './money-back.ts'
import { lineOf, pieces } from './order-lines.ts'
import type { ShopOrder } from './shop-order.ts'
import { priceOf } from './surcharges.ts'

/**
 * Goods came back in a store, and the shop gives the money back by the payment service. A payment without one leaves the
 * refund pending: a person pays it and settles it in the shop.
 */
export async function refundGoods(shop: Shop, returned: ReturnedGoods, attempt: Attempt): Promise<Effect> {
  const { refund, line: goods, quantity } = returned
  const order = await orderOf(shop, refund, attempt)
  const line = lineOf(order, goods, shop.options)
  const count = pieces(quantity)
  const money = {
    lines: [{ orderLineId: line.id, quantity: count }],
    amount: priceOf(order, line, count),
    reason: reasonOf(returned),
    payments: order.payments,
  }
  const refunds = await payBack(shop, order, money, attempt)
  return effectOf(order, returned, refunds)
}

/** The words that the shop notes a refund with. */
export function reasonOf({ refund: { stockName } }: ReturnedGoods): string {
  return stockName === null ? 'Returned in a store' : `Returned in ${stockName}`
}

/** The effect of a refund: its link, and a note of what was paid back. */
export function effectOf(order: ShopOrder, { refund, line }: ReturnedGoods, refunds: readonly Refunded[]): Effect {
  const [first] = refunds
  const links = first ? [{ kind: 'refund', id: `${refund.refundId}/${line.key}`, theirId: first.id }] : []
  return { links, note: `order ${order.code}: ${told(refunds)}` }
}
