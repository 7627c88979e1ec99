import { z } from 'zod'
import type { Tallied } from '../../../domain/ledger/destination/tallied.ts'
import { isNotThere } from '../../../domain/values/errors.ts'
import { money } from '../../../domain/values/money.ts'
import type { Question } from '../../../ports/attempt.ts'
import type { GivenOrder } from '../../../ports/tally.ts'
import { idsOf, type OrderThere, talliedOrder } from '../../shared/tally-orders.ts'
import type { ShopApi } from '../api.ts'
import { amount, optional, readable } from '../document.ts'
import { isOff, META, metaOf, ShopOrder } from '../people/shop-order.ts'

/** The most that WooCommerce gives at once. */
const PAGE = 100

/** No more of an order than is asked here: what a plugin has changed of one keeps nothing from being said of the others. */
const Listed = ShopOrder.pick({ id: true, status: true, currency: true, meta_data: true }).extend({
  total: optional(amount),
  refunds: readable(z.unknown()),
})

/**
 * Orders by their ids, a hundred a request (`include`, WooCommerce REST API v3, "List all orders"). The list leaves out the trash, and
 * statuses of plugins that hide: what it does not show is asked for by its id alone.
 */
export async function tally(
  api: Pick<ShopApi, 'get'>,
  given: readonly GivenOrder[],
  { signal }: Question,
): Promise<Tallied[]> {
  const orders = new Map<string, OrderThere>()
  const ids = idsOf(given).filter((id) => /^[1-9]\d{0,14}$/.test(id))
  for (let start = 0; start < ids.length; start += PAGE) {
    const some = ids.slice(start, start + PAGE)
    const query = { include: some.join(','), status: 'any', per_page: String(PAGE), _fields: FIELDS }
    const { value } = await api.get('/orders', query, z.array(Listed), signal)
    for (const order of value) orders.set(String(order.id), orderThere(order))
    for (const id of some.filter((one) => !orders.has(one))) {
      const order = await byId(api, id, signal)
      if (order) orders.set(id, orderThere(order))
    }
  }
  return given.map((one) => talliedOrder(one, orders))
}

const FIELDS = 'id,status,currency,total,refunds,meta_data'

async function byId(api: Pick<ShopApi, 'get'>, id: string, signal: AbortSignal) {
  try {
    return (await api.get(`/orders/${id}`, {}, Listed, signal)).value
  } catch (error) {
    if (isNotThere(error)) return null
    throw error
  }
}

/** Where money was given back, or the order is off, the total is not what the till took any more. */
function orderThere(order: z.output<typeof Listed>): OrderThere {
  const { status, refunds, total, currency } = order
  const isChanged = refunds.length > 0 || isOff(order)
  const amount = isChanged || total === null ? null : money(total, currency)
  const key = metaOf(order, META.key)
  return { key, gone: status === 'trash' ? 'in the trash' : null, amount }
}
