import type { TillOrder } from '../../../domain/orders/order.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import { tell } from '../notes.ts'
import { awaitsPayment, META, metaOf, ShopOrder } from '../people/shop-order.ts'
import { uncertainIfRefused } from '../refunds/uncertain.ts'
import { findProducts } from '../stock/products.ts'
import { isAgain } from './again.ts'
import { complete, correct } from './complete.ts'
import type { Desk } from './desk.ts'
import { findOrder } from './find-order.ts'
import { newDraft, newOrder } from './new-order.ts'

/** A paid order of the till. A try that failed in the middle has left its order behind. */
export async function create(desk: Desk, order: TillOrder, attempt: Attempt): Promise<Effect> {
  const found = isAgain(attempt) ? await findCreated(desk, attempt) : null
  if (found) return found
  const created = await place(desk, order, attempt, newOrder)
  return await complete(desk.api, created, { signal: attempt.signal, destination: desk.destination })
}

export async function findCreated(desk: Desk, attempt: Attempt): Promise<Effect | null> {
  const found = await findOrder(desk, attempt)
  return found && (await complete(desk.api, found, { signal: attempt.signal, destination: desk.destination }))
}

/** A basket for the customer to pay online: an order that waits for its payment. */
export async function draft(desk: Desk, basket: TillOrder, attempt: Attempt): Promise<Effect> {
  const found = isAgain(attempt) ? await findDraft(desk, attempt) : null
  return found ?? (await offer(desk, await place(desk, basket, attempt, newDraft), attempt))
}

export async function findDraft(desk: Desk, attempt: Attempt): Promise<Effect | null> {
  const found = await findOrder(desk, attempt)
  return found && (await offer(desk, found, attempt))
}

async function offer(desk: Desk, order: ShopOrder, attempt: Attempt): Promise<Effect> {
  const number = metaOf(order, META.order) ?? order.number
  const links = [{ kind: 'draft', id: number, theirId: String(order.id) }]
  if (!awaitsPayment(order)) return { links, note: `order ${order.number}, left as it is: ${order.status}` }
  const right = await correct(desk.api, order, attempt.signal)
  const link = right.payment_url ?? ''
  await tell(desk, right, 'draft', { number: right.number, link }, attempt)
  const where = link ? `to be paid at ${link}` : 'to be paid'
  return { links, note: `order ${right.number}, ${right.total} ${right.currency}, ${where}` }
}

async function place(
  { api }: Desk,
  order: TillOrder,
  { key, signal }: Attempt,
  wire: typeof newOrder,
): Promise<ShopOrder> {
  const products = await findProducts(api, order.lines, signal)
  return await api.write('POST', '/orders', wire(order, products, key), ShopOrder, signal).catch(uncertainIfRefused)
}
