import { z } from 'zod'
import { PermanentError } from '../../domain/errors.ts'
import type { Attempt } from '../adapter.ts'
import type { Desk } from './desk.ts'
import { saysCode } from './says-code.ts'
import { META, metaOf, ShopOrder } from './shop-order.ts'

/**
 * The order that the platform knows by this number: the one that the hub has a link to, else the one that the shop itself
 * gives this number, or that a till placed under it. What comes back is compared: WordPress answers near misses too.
 */
export async function locateOrder({ api, destination }: Desk, number: string, attempt: Attempt): Promise<ShopOrder> {
  const { signal } = attempt
  const links = await attempt.links('order', [number])
  for (const { theirId } of links) {
    const linked = await byId(theirId)
    if (linked) return linked
  }
  const same = await byId(number)
  if (same?.number === number) return same
  const { value } = await api.get('/orders', { search: number, per_page: '100' }, z.array(ShopOrder), signal)
  const found = value.filter((order) => order.number === number || metaOf(order, META.order) === number)
  const [only] = found
  if (only && found.length === 1) return only
  const many = `${destination}: there are ${found.length} orders ${number} (ids ${found.map(({ id }) => id).join(', ')})`
  if (only) throw new PermanentError(`${many}: which one is meant cannot be told.`, { code: 'ambiguous-order' })
  throw new PermanentError(
    `${destination}: the shop has no order ${number}. If it is in another system, give this destination only its own stores; if it was deleted here, skip this.`,
    { code: 'no-such-order' },
  )

  async function byId(id: string): Promise<ShopOrder | null> {
    if (!/^[1-9]\d{0,14}$/.test(id)) return null
    try {
      return (await api.get(`/orders/${id}`, {}, ShopOrder, signal)).value
    } catch (error) {
      if (saysCode(error, 'woocommerce_rest_shop_order_invalid_id')) return null
      throw error
    }
  }
}
