import { PermanentError } from '../../../domain/values/errors.ts'
import { isOff, META, metaOf, type ShopOrder } from '../people/shop-order.ts'
import { refundsOf } from '../refunds/refunds.ts'
import type { OrderContext } from './order-context.ts'

/**
 * The note on an order that was given back as a whole by refunds of the hub, while a word that is older comes later: nothing is
 * left to do about it. Null: the order goes on. Throws PermanentError `order-off` for one that somebody in the shop has ended while
 * a store goes on with it.
 */
export async function noteOfEnd(
  context: OrderContext,
  order: ShopOrder,
  happened: string,
  signal: AbortSignal,
): Promise<string | null> {
  if (!isOff(order)) return null
  const { number, status } = order
  const refunds = status === 'refunded' ? await refundsOf(context, order, signal) : []
  if (refunds.length > 0 && refunds.every((one) => metaOf(one, META.key) !== null))
    return `order ${number}, left as it is: all of it was given back before`
  throw new PermanentError(
    `${context.destination}: order ${number} is ${status} in the shop, but ${happened}. Settle it with the store and the customer, then skip this.`,
    { code: 'order-off' },
  )
}
