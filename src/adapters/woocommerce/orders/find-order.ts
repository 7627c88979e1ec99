import { z } from 'zod'
import type { Attempt } from '../../../ports/attempt.ts'
import type { LookPlaces } from '../../shared/look-places.ts'
import type { ShopApi } from '../api.ts'
import { isOff, META, metaOf, ShopOrder } from '../people/shop-order.ts'
import { since } from './again.ts'

/** The most that WooCommerce gives at once. */
const PAGE = 100

const Listed = ShopOrder.pick({ id: true, meta_data: true })
const ListedStatus = ShopOrder.pick({ id: true, status: true, meta_data: true })

/** The pages that a look reads next. `any` leaves out the trash. */
export interface OrderPages {
  any: number
  trash: number
}

/** Where orders are looked for, and how far looks that failed have come. */
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
      const { value, headers } = await api.get('/orders', query(from, status, page), z.array(Listed), signal)
      const found = value.find((order) => metaOf(order, META.key) === key)
      if (found) return await whole(found.id)
      // A proxy may drop the header: then a full page means that there may be another.
      pages = Number(headers['x-wp-totalpages'] ?? (value.length < PAGE ? page : page + 1))
    }
  looks.ended(key)
  return null

  async function whole(id: number): Promise<ShopOrder> {
    const { value } = await api.get(`/orders/${id}`, {}, ShopOrder, signal)
    looks.ended(key)
    return value
  }
}

/** The ids of all orders with the attempt's key since the first try, but for those that are off. */
export async function findOrders(
  api: Pick<ShopApi, 'get'>,
  { key, firstTriedAt, signal }: Pick<Attempt, 'key' | 'firstTriedAt' | 'signal'>,
): Promise<number[]> {
  const found = new Set<number>()
  for (let page = 1, pages = page; page <= pages; page += 1) {
    const asked = { ...query(since({ firstTriedAt }), 'any', page), _fields: 'id,status,meta_data' }
    const { value, headers } = await api.get('/orders', asked, z.array(ListedStatus), signal)
    for (const order of value) if (metaOf(order, META.key) === key && !isOff(order)) found.add(order.id)
    pages = Number(headers['x-wp-totalpages'] ?? (value.length < PAGE ? page : page + 1))
  }
  return [...found]
}

/** Times in UTC without a zone: with one WordPress would shift it by the offset of its own. */
function query(from: number, status: string, page: number): Record<string, string> {
  return {
    after: new Date(from).toISOString().slice(0, 19),
    dates_are_gmt: 'true',
    status,
    orderby: 'id',
    order: 'asc',
    per_page: String(PAGE),
    page: String(page),
    _fields: 'id,meta_data',
  }
}
