import { z } from 'zod'
import type { ShopApi } from '../api.ts'
import { ShopOrder } from '../people/shop-order.ts'

/** The most that WooCommerce gives at once. */
const PAGE = 100

const Listed = ShopOrder.pick({ id: true, number: true, meta_data: true })

type Listed = z.output<typeof Listed>

/**
 * Ids of the orders that the shop's search finds by a number and that `is` knows for one of those meant, until it has the one that the
 * shop itself gives this number. The search looks at telephone numbers, postal codes and more, the newest order first: where order
 * 5003 is one of a shop that sends to Bergen (5003), it may be on any page.
 */
export async function idsNumbered(
  api: Pick<ShopApi, 'get'>,
  term: string,
  { is, isOwn }: { is(order: Listed): boolean; isOwn(order: Listed): boolean },
  signal: AbortSignal,
): Promise<number[]> {
  const found: number[] = []
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const query = { search: term, per_page: String(PAGE), page: String(page), _fields: 'id,number,meta_data' }
    const { value, headers } = await api.get('/orders', query, z.array(z.unknown()), signal)
    const listed = value.flatMap((one) => Listed.safeParse(one).data ?? [])
    for (const one of listed) if (is(one) || isOwn(one)) found.push(one.id)
    if (listed.some(isOwn)) break
    // A proxy may drop the header: then a full page means that there may be another.
    pages = Number(headers['x-wp-totalpages'] ?? (value.length < PAGE ? page : page + 1))
  }
  return [...new Set(found)]
}
