import type { TillOrder } from '../../../domain/orders/order.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import { tell } from '../notes.ts'
import { awaitsPayment, META, metaOf, ShopOrder } from '../people/shop-order.ts'
import { uncertainIfRefused } from '../refunds/uncertain.ts'
import { findProducts } from '../stock/products.ts'
import { isAgain } from './again.ts'
import { complete, correct } from './complete.ts'
import { findOrder } from './find-order.ts'
import { newDraft, newOrder } from './new-order.ts'
import type { OrderContext } from './order-context.ts'

/** A paid order of the till. A try that failed in the middle has left its order behind. */
export async function create(context: OrderContext, order: TillOrder, attempt: Attempt): Promise<Effect> {
  const found = isAgain(attempt) ? await findCreated(context, attempt) : null
  if (found) return found
  const created = await place(context, order, attempt, newOrder)
  return await complete(context.api, created, { signal: attempt.signal, destination: context.destination })
}

export async function findCreated(context: OrderContext, attempt: Attempt): Promise<Effect | null> {
  const found = await findOrder(context, attempt)
  return found && (await complete(context.api, found, { signal: attempt.signal, destination: context.destination }))
}

/** A basket for the customer to pay online: an order that waits for its payment. */
export async function draft(context: OrderContext, basket: TillOrder, attempt: Attempt): Promise<Effect> {
  const found = isAgain(attempt) ? await findDraft(context, attempt) : null
  return found ?? (await offer(context, await place(context, basket, attempt, newDraft), attempt))
}

export async function findDraft(context: OrderContext, attempt: Attempt): Promise<Effect | null> {
  const found = await findOrder(context, attempt)
  return found && (await offer(context, found, attempt))
}

async function offer(context: OrderContext, order: ShopOrder, attempt: Attempt): Promise<Effect> {
  const number = metaOf(order, META.order) ?? order.number
  const links = [{ kind: 'draft', id: number, theirId: String(order.id) }]
  if (!awaitsPayment(order)) return { links, note: `order ${order.number}, left as it is: ${order.status}` }
  const right = await correct(context.api, order, attempt.signal)
  const link = right.payment_url ?? ''
  await tell(context, right, 'draft', { number: right.number, link }, attempt)
  const where = link ? `to be paid at ${link}` : 'to be paid'
  return { links, note: `order ${right.number}, ${right.total} ${right.currency}, ${where}` }
}

async function place(
  { api }: OrderContext,
  order: TillOrder,
  { key, signal }: Attempt,
  wire: typeof newOrder,
): Promise<ShopOrder> {
  const products = await findProducts(api, order.lines, signal)
  return await api.write('POST', '/orders', wire(order, products, key), ShopOrder, signal).catch(uncertainIfRefused)
}
