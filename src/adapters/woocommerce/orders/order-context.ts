import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Instant } from '../../../domain/values/instant.ts'
import { type Attempt, mayStillLand } from '../../../ports/attempt.ts'
import { uncertainUnlessNotDone } from '../../shared/http-errors.ts'
import type { LookPlaces } from '../../shared/look-places.ts'
import { isAgain, since } from '../../shared/shop-orders.ts'
import { lastPage, PAGE_SIZE, pagesOf, type ShopApi } from '../api.ts'
import { list, text } from '../document.ts'
import { filled, type Occasion, type WooCommerceOptions } from '../options.ts'
import { isPaid, META, metaOf, ShopOrder } from '../shop-order.ts'

const Listed = ShopOrder.pick({ id: true, meta_data: true })

export interface OrderPages {
  any: number
  trash: number
}

/** By the attempt's key, whatever its status. Oldest first: an order that comes meanwhile moves no other to a page that was read. */
export function findOrder(
  { api, looks }: Pick<OrderContext, 'api' | 'looks'>,
  { key, firstTriedAt, signal }: Attempt,
): Promise<ShopOrder | null> {
  return looks(key, { any: 1, trash: 1 }, async (from, reached) => {
    const next = { ...from }
    for (const status of ['any', 'trash'] as const)
      for (let page = next[status], pages = page; page <= pages; page += 1) {
        // A deletion meanwhile moves others to the page before.
        next[status] = Math.max(1, page - 1)
        reached({ ...next })
        const asked = { ...query(since({ firstTriedAt }), status), page: String(page), _fields: 'id,meta_data' }
        const answer = await api.get('/orders', asked, z.array(Listed), signal)
        const found = answer.value.find((order) => metaOf(order, META.key) === key)
        if (found) return (await api.get(`/orders/${found.id}`, {}, ShopOrder, signal)).value
        pages = lastPage(answer, page)
      }
    return null
  })
}

/** All orders that bear one of the keys, made since an instant. */
export async function findByKeys(
  api: Pick<ShopApi, 'get'>,
  keys: ReadonlySet<string>,
  first: Instant,
  signal: AbortSignal,
): Promise<[key: string, id: string][]> {
  const found: [string, string][] = []
  const asked = { ...query(since({ firstTriedAt: first }), 'any'), _fields: 'id,meta_data' }
  for await (const page of pagesOf(api, '/orders', asked, Listed, { signal }))
    for (const order of page) {
      const key = metaOf(order, META.key)
      if (key !== null && keys.has(key)) found.push([key, String(order.id)])
    }
  return found
}

/** In UTC without a zone: with one WordPress would shift it. */
function query(from: number, status: string): Record<string, string> {
  return {
    after: new Date(from).toISOString().slice(0, 19),
    dates_are_gmt: 'true',
    status,
    orderby: 'id',
    order: 'asc',
    per_page: String(PAGE_SIZE),
  }
}

export interface OrderContext {
  api: ShopApi
  options: WooCommerceOptions
  destination: string
  looks: LookPlaces<OrderPages>
}

/** WooCommerce saves before it runs plugins: a failure may come after the save. */
export function changeOrder(
  { api }: OrderContext,
  order: ShopOrder,
  body: object,
  signal: AbortSignal,
): Promise<ShopOrder> {
  return api.write('PUT', `/orders/${order.id}`, body, ShopOrder, signal).catch(uncertainUnlessNotDone)
}

/**
 * By the date, because cash on delivery is `processing` before that. What is paid in the store is paid once it is collected, whatever a
 * payment plugin says.
 */
export function wasPaid({ options }: Pick<OrderContext, 'options'>, order: ShopOrder): boolean {
  const method = order.payment_method ?? ''
  const isCollected = order.status === 'completed' || order.status === options.statuses.collected
  if (options.payInStore.includes(method) && !isCollected) return false
  return Boolean(order.date_paid) || (method === 'tillbridge' && isPaid(order))
}

const Note = z.object({ note: text, date_created_gmt: text })

/** To the customer, where the operator wants it, else for people in the shop. */
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

/** An earlier try's note is known by its words and its time. */
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
  await api.write('POST', path, body, z.unknown(), signal).catch(uncertainUnlessNotDone)
}

/** A short name of an effect, that people read. */
export function referenceOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 12)
}
