import { createHash } from 'node:crypto'
import {
  type Attempt,
  isAgain,
  type KeySearch,
  mayStillLand,
  type OrdersCall,
  type OrderStep as Step,
  since,
  uncertainUnlessNotDone,
} from 'tillbridge/adapter'
import { z } from 'zod'
import type { ShopApi } from '../api.ts'
import { list, text } from '../document.ts'
import { filled, type Occasion, type WooCommerceOptions } from '../options.ts'
import { isPaid, MadeNote, ShopOrder } from '../shop-order.ts'

export interface OrderContext {
  api: ShopApi
  options: WooCommerceOptions
  destination: string
  search: KeySearch<Pick<ShopOrder, 'id' | 'meta_data'>>
}

export type WooStep<Name extends OrdersCall['method']> = Step<OrderContext, Name>

/** WooCommerce saves before it runs plugins: a failure may come after the save. */
export function changeOrder(
  { api }: OrderContext,
  order: ShopOrder,
  body: object,
  signal: AbortSignal,
): Promise<ShopOrder> {
  return api.write('PUT', `/orders/${order.id}`, body, ShopOrder, signal).catch(uncertainUnlessNotDone)
}

/** By date: cash on delivery is `processing` before it is paid. An order to pay in the store is paid once collected, whatever a plugin says. */
export function wasPaid({ options }: Pick<OrderContext, 'options'>, order: ShopOrder): boolean {
  const method = order.payment_method ?? ''
  const isCollected = order.status === 'completed' || order.status === options.statuses.collected
  if (options.payInStore.includes(method) && !isCollected) return false
  return Boolean(order.date_paid) || (method === 'tillbridge' && isPaid(order))
}

const Note = z.object({ note: text, date_created_gmt: text })

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

/** An earlier attempt's note is known by its text and time. */
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
  await api.write('POST', path, body, MadeNote, signal).catch(uncertainUnlessNotDone)
}

export function referenceOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 12)
}
