import type { OrderUpdate } from '../../../domain/orders/order-update.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import { addNote, type Shop } from '../shop.ts'
import { orderOf } from './find-order.ts'
import type { ShopOrder } from './shop-order.ts'

/** The customer reads it at the order; shops write e-mails from it by a plugin of their own. */
export async function tellReady(shop: Shop, update: OrderUpdate, attempt: Attempt): Promise<Effect> {
  const order = await orderOf(shop, update, attempt)
  const told = wasTold(shop, order)
  if (!told) await addNote(shop, order, { note: shop.options.readyNote, isPublic: true }, attempt)
  return { note: `order ${order.code}: ${told ? 'the customer was told before' : 'a note for the customer'}` }
}

/** Whether the customer can read it at the order. */
export function wasTold({ options: { readyNote } }: Shop, { history }: ShopOrder): boolean {
  return history.items.some(({ isPublic, data }) => isPublic && data.note === readyNote)
}
