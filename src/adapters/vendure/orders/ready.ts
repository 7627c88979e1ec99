import type { OrderUpdate } from '../../../domain/orders/order-update.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import { addNote, type Shop } from '../shop.ts'
import { orderOf } from './find-order.ts'

/** The customer reads it at the order; shops write e-mails from it by a plugin of their own. */
export async function tellReady(shop: Shop, update: OrderUpdate, attempt: Attempt): Promise<Effect> {
  const order = await orderOf(shop, update, attempt)
  const { readyNote: note } = shop.options
  const told = order.history.items.some(({ isPublic, data }) => isPublic && data.note === note)
  if (!told) await addNote(shop, order, { note, isPublic: true }, attempt)
  return { note: `order ${order.code}: ${told ? 'the customer was told before' : 'a note for the customer'}` }
}
