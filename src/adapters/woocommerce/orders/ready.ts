import type { OrderUpdate } from '../../../domain/orders/order-update.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import { tell } from '../notes.ts'
import { META, metaOf, type ShopOrder } from '../people/shop-order.ts'
import { locateOrder } from './locate-order.ts'
import { changeOrder, type OrderContext } from './order-context.ts'
import { noteOfEnd } from './order-off.ts'

/**
 * The goods lie ready: the customer is told first, and the order says last that all is done. `find`: only what an earlier try
 * left, else null.
 */
export async function ready(
  context: OrderContext,
  update: OrderUpdate,
  attempt: Attempt,
  find = false,
): Promise<Effect | null> {
  const { statuses, tellCustomer } = context.options
  const order = await locateOrder(context, update, attempt)
  if (metaOf(order, META.ready) === attempt.key) return effectOf(order)
  if (find) return null
  if (order.status === statuses.collected) return { note: `order ${order.number} is ${order.status} already` }
  const end = await noteOfEnd(context, order, 'it lies ready in a store', attempt.signal)
  if (end !== null) return { note: end }
  await tell(context, order, 'ready', { number: order.number, store: update.stockName }, attempt)
  const changes = { status: statuses.ready, meta_data: [{ key: META.ready, value: attempt.key }] }
  return effectOf(await changeOrder(context, order, changes, attempt.signal))

  function effectOf({ number, status }: ShopOrder): Effect {
    return { note: `order ${number}, ${status}, customer ${tellCustomer.includes('ready') ? 'told' : 'not told'}` }
  }
}
