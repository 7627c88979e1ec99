import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Instant } from '../../../domain/values/instant.ts'
import { type Attempt, mayStillLand } from '../../../ports/attempt.ts'
import { uncertainUnlessNotDone } from '../../shared/http-errors.ts'
import type { LookPlaces } from '../../shared/look-places.ts'
import { PAGE_SIZE, pagesOf, type ShopApi } from '../api.ts'
import { list, text } from '../document.ts'
import { filled, type Occasion, type WooCommerceOptions } from '../options.ts'
import { isPaid, META, metaOf, ShopOrder } from '../shop-order.ts'

/** How much the shop's clock may be behind ours (milliseconds). */
export const CLOCKS = 10 * 60_000

/** Whether an earlier try may have left something behind. 503 counts on no schedule: the time of the first try tells. */
export function isAgain({ previous, firstTriedAt }: Pick<Attempt, 'previous' | 'firstTriedAt'>): boolean {
  return firstTriedAt !== null || previous !== 'none'
}

function since({ firstTriedAt }: Pick<Attempt, 'firstTriedAt'>): number {
  return (firstTriedAt ?? Date.now()) - CLOCKS
}

const Listed = ShopOrder.pick({ id: true, meta_data: true })

export interface OrderPages {
  any: number
  trash: number
}

interface Looking {
  api: ShopApi
  looks: LookPlaces<OrderPages>
}

/**
 * The order with the attempt's key, whatever its status, among all since the first try. Oldest first: an order that
 * comes meanwhile goes to the end and moves no other to a page that was read already. A look that fails, or that has no time
 * left, is gone on with by the next try.
 */
export function findOrder(
  looking: Looking,
  attempt: Pick<Attempt, 'key' | 'firstTriedAt' | 'signal'>,
): Promise<ShopOrder | null> {
  return looking.looks.goOn(attempt.key, () => look(looking, attempt))
}

async function look(
  { api, looks }: Looking,
  { key, firstTriedAt, signal }: Pick<Attempt, 'key' | 'firstTriedAt' | 'signal'>,
): Promise<ShopOrder | null> {
  const from = since({ firstTriedAt })
  const next = { any: 1, trash: 1, ...looks.of(key) }
  for (const status of ['any', 'trash'] as const)
    for (let page = next[status], pages = page; page <= pages; page += 1) {
      // One that was deleted meanwhile has moved others to the page before, and the last page may have got more.
      next[status] = Math.max(1, page - 1)
      looks.reached(key, { ...next })
      const asked = { ...query(from, status), per_page: String(PAGE_SIZE), page: String(page), _fields: 'id,meta_data' }
      const { value, headers } = await api.get('/orders', asked, z.array(Listed), signal)
      const found = value.find((order) => metaOf(order, META.key) === key)
      if (found) return await whole(found.id)
      // A proxy may drop the header: then a full page means that there may be another.
      pages = Number(headers['x-wp-totalpages'] ?? (value.length < PAGE_SIZE ? page : page + 1))
    }
  looks.ended(key)
  return null

  async function whole(id: number): Promise<ShopOrder> {
    const { value } = await api.get(`/orders/${id}`, {}, ShopOrder, signal)
    looks.ended(key)
    return value
  }
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

/** Times in UTC without a zone: with one WordPress would shift it by the offset of its own. */
function query(from: number, status: string): Record<string, string> {
  return {
    after: new Date(from).toISOString().slice(0, 19),
    dates_are_gmt: 'true',
    status,
    orderby: 'id',
    order: 'asc',
  }
}

export interface OrderContext {
  api: ShopApi
  options: WooCommerceOptions
  destination: string
  looks: LookPlaces<OrderPages>
}

/** Changes an order. WooCommerce saves first and runs plugins afterwards: a failure may have come after the save. */
export function changeOrder(
  { api }: OrderContext,
  order: ShopOrder,
  body: object,
  signal: AbortSignal,
): Promise<ShopOrder> {
  return api.write('PUT', `/orders/${order.id}`, body, ShopOrder, signal).catch(uncertainUnlessNotDone)
}

/**
 * Whether the customer has paid: by the date, because cash on delivery is `processing` before that. What is paid in the store
 * is paid when it is collected, whatever date a payment plugin gave it before.
 */
export function wasPaid({ options }: { options: PayingOptions }, order: Paying): boolean {
  const method = order.payment_method ?? ''
  const isCollected = order.status === 'completed' || order.status === options.statuses.collected
  if (options.payInStore.includes(method) && !isCollected) return false
  return Boolean(order.date_paid) || (method === 'tillbridge' && isPaid(order))
}

type PayingOptions = Pick<OrderContext['options'], 'payInStore' | 'statuses'>

type Paying = Pick<ShopOrder, 'date_paid' | 'payment_method' | 'status'>

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
  await api.write('POST', path, body, z.unknown(), signal).catch(uncertainUnlessNotDone)
}

/**
 * A short name of an effect, for places that people read: the reason of a refund is saved with it, its meta data only
 * after the payment provider was asked.
 */
export function referenceOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 12)
}
