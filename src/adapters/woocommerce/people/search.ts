import { z } from 'zod'
import type { FoundOrder } from '../../../domain/orders/found-order.ts'
import { isNotThere } from '../../../domain/values/errors.ts'
import type { Question } from '../../../ports/attempt.ts'
import type { ShopApi } from '../api.ts'
import { WholeOrder } from '../intake/order.ts'
import type { WooCommerceOptions } from '../options.ts'
import { idsNumbered } from '../orders/numbered.ts'
import { foundOrder } from './search-order.ts'
import { ShopRefund } from './shop-order.ts'

/** Baskets of people who have not ordered yet, and what was thrown away. */
const NO_ORDERS = new Set(['auto-draft', 'checkout-draft', 'draft', 'trash'])

/** The most that WooCommerce gives at once; more refunds than this of one order are no shop's. */
const PAGE_SIZE = '100'

/** Orders with exactly this number, for a till that waits: `1001`, also as people write it (`#1001`, `10 01`). */
export function createWooSearch(
  api: ShopApi,
  options: WooCommerceOptions,
): (number: string, question: Question) => Promise<FoundOrder[]> {
  return async (number, { signal, theirIds = [] }) => {
    const wanted = plain(number)
    if (wanted === '') return []
    const [linked, byId, bySearch] = await Promise.all([
      // An order that a till made has a number of its own here.
      Promise.all(theirIds.map((id) => byIdOf(id, signal))).then((all) => all.flat()),
      byIdOf(wanted, signal),
      bySearchOf(wanted, signal),
    ])
    const numbered = [...byId, ...bySearch].filter((one) => plain(one.number) === wanted)
    const orders = new Map([...linked, ...numbered].map((order) => [order.id, order]))
    const found = [...orders.values()].filter((one) => !NO_ORDERS.has(one.status))
    return await Promise.all(
      found.map(async (order) => {
        const answer = foundOrder(order, await refundsOf(order, signal), options)
        // The customer knows it by the number that the till gave it.
        return linked.includes(order) ? { ...answer, number } : answer
      }),
    )
  }

  /** In a shop without a plugin for numbers, the number is the id. */
  async function byIdOf(wanted: string, signal: AbortSignal): Promise<WholeOrder[]> {
    if (!/^[1-9]\d{0,14}$/.test(wanted)) return []
    try {
      return [(await api.get(`/orders/${wanted}`, {}, WholeOrder, signal)).value]
    } catch (error) {
      if (isNotThere(error)) return []
      throw error
    }
  }

  /** Plugins that number orders let the shop's search look at their numbers. */
  async function bySearchOf(wanted: string, signal: AbortSignal): Promise<WholeOrder[]> {
    const isOwn = (order: Pick<WholeOrder, 'number'>) => plain(order.number) === wanted
    const ids = await idsNumbered(api, wanted, { is: isOwn, isOwn }, signal)
    return (await Promise.all(ids.map((id) => byIdOf(String(id), signal)))).flat()
  }

  async function refundsOf({ id, refunds }: WholeOrder, signal: AbortSignal): Promise<ShopRefund[]> {
    if (refunds.length === 0) return []
    return (await api.get(`/orders/${id}/refunds`, { per_page: PAGE_SIZE }, z.array(ShopRefund), signal)).value
  }
}

function plain(number: string): string {
  return number.replaceAll(/[\s#]/g, '').toUpperCase()
}
