import type { OrderUpdate } from '../../../domain/orders/order-update.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import { tell } from '../notes.ts'
import { META, metaOf, type ShopOrder } from '../people/shop-order.ts'
import { changeOrder, type Desk } from './desk.ts'
import { locateOrder } from './locate-order.ts'
import { noteOfEnd } from './order-off.ts'

/** It lies ready: the customer is told first, and the order says last that all is done. `find`: as in returned.ts. */
export async function ready(desk: Desk, update: OrderUpdate, attempt: Attempt, find = false): Promise<Effect | null> {
  const { statuses, tellCustomer } = desk.options
  const order = await locateOrder(desk, update, attempt)
  if (metaOf(order, META.ready) === attempt.key) return effectOf(order)
  if (find) return null
  if (order.status === statuses.collected) return { note: `order ${order.number} is ${order.status} already` }
  const end = await noteOfEnd(desk, order, 'it lies ready in a store', attempt.signal)
  if (end !== null) return { note: end }
  await tell(desk, order, 'ready', { number: order.number, store: update.stockName }, attempt)
  const changes = { status: statuses.ready, meta_data: [{ key: META.ready, value: attempt.key }] }
  return effectOf(await changeOrder(desk, order, changes, attempt.signal))

  function effectOf({ number, status }: ShopOrder): Effect {
    return { note: `order ${number}, ${status}, customer ${tellCustomer.includes('ready') ? 'told' : 'not told'}` }
  }
}
