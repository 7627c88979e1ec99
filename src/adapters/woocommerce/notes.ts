import { z } from 'zod'
import { type Attempt, mayStillLand } from '../../ports/attempt.ts'
import { list, text } from './document.ts'
import type { Occasion } from './options.ts'
import { filled } from './options-texts.ts'
import { isAgain, since } from './orders/again.ts'
import type { OrderContext } from './orders/order-context.ts'
import type { ShopOrder } from './people/shop-order.ts'
import { uncertainIfRefused } from './refunds/uncertain.ts'

const Note = z.object({ note: text, date_created_gmt: text })

/**
 * Writes what there is to say as a note of the order: to the customer, where the operator wants it, else for people in the
 * shop. A note carries nothing of ours, so that an earlier try's is known by its words and its time.
 */
export async function tell(
  context: OrderContext,
  order: ShopOrder,
  occasion: Occasion,
  values: Parameters<typeof filled>[1],
  attempt: Attempt,
): Promise<void> {
  const { texts, tellCustomer } = context.options
  await addNoteOnce(context, order, filled(texts[occasion], values), tellCustomer.includes(occasion), attempt)
}

export async function addNoteOnce(
  { api }: OrderContext,
  { id }: ShopOrder,
  note: string,
  forCustomer: boolean,
  attempt: Attempt,
): Promise<void> {
  const path = `/orders/${id}/notes`
  const { signal } = attempt
  if (isAgain(attempt)) {
    const { value } = await api.get(path, {}, list(Note), signal)
    const after = since(attempt)
    if (value.some((one) => one.note === note && Date.parse(`${one.date_created_gmt}Z`) >= after)) return
  }
  if (attempt.mayStillLand) throw mayStillLand()
  const body = { note, customer_note: forCustomer }
  await api.write('POST', path, body, z.unknown(), signal).catch(uncertainIfRefused)
}
