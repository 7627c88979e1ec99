import type { Tallied } from '../../../domain/ledger/destination/tallied.ts'
import type { Question } from '../../../ports/attempt.ts'
import type { GivenOrder } from '../../../ports/tally.ts'
import { idsOf, type OrderThere, talliedOrder } from '../../shared/tally-orders.ts'
import { readOrder, type Shop } from '../shop.ts'
import { tillKeyOf } from './mark.ts'
import type { ShopOrder } from './shop-order.ts'

/** Orders by their ids, one after the other, with the query by which the adapter reads an order anyway. */
export async function tally(shop: Shop, given: readonly GivenOrder[], question: Question): Promise<Tallied[]> {
  const orders = new Map<string, OrderThere>()
  for (const id of idsOf(given)) {
    const order = await readOrder(shop, id, question)
    if (order) orders.set(id, orderThere(shop, order))
  }
  return given.map((one) => talliedOrder(one, orders))
}

/** Where money was given back, or the order is off, the total is not what the till took any more. */
function orderThere({ amounts }: Shop, order: ShopOrder): OrderThere {
  const { state, payments, totalWithTax, currencyCode } = order
  const isChanged = state === 'Cancelled' || payments.some(({ refunds }) => refunds.length > 0)
  return {
    key: tillKeyOf(order),
    gone: null,
    amount: isChanged ? null : { amount: amounts.decimal(totalWithTax), currency: currencyCode },
  }
}
