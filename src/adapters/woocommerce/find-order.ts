import { z } from 'zod'
import type { Attempt } from '../adapter.ts'
import { since } from './again.ts'
import type { ShopApi } from './api.ts'
import { META, metaOf, ShopOrder } from './shop-order.ts'

/** The most that WooCommerce gives at once. */
const PAGE = 100

const Listed = ShopOrder.pick({ id: true, meta_data: true })

/**
 * The order with the attempt's key, whatever its status, among all since the first try. Oldest first: an order that
 * comes meanwhile goes to the end and moves no other to a page that was read already. `any` leaves out the trash.
 */
export async function findOrder(
  api: ShopApi,
  { key, firstTriedAt, signal }: Pick<Attempt, 'key' | 'firstTriedAt' | 'signal'>,
): Promise<ShopOrder | null> {
  const from = since({ firstTriedAt })
  for (const status of ['any', 'trash'])
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { value, headers } = await api.get('/orders', query(from, status, page), z.array(Listed), signal)
      const found = value.find((order) => metaOf(order, META.key) === key)
      if (found) return (await api.get(`/orders/${found.id}`, {}, ShopOrder, signal)).value
      // A proxy may drop the header: then a full page means that there may be another.
      pages = Number(headers['x-wp-totalpages'] ?? (value.length < PAGE ? page : page + 1))
    }
  return null
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
