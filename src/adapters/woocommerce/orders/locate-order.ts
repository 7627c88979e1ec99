import { idsOfOrder, sortOfLink } from '../../../domain/orders/order-link.ts'
import {
  type Candidate,
  type Goods,
  goodsOf,
  holdsGoods,
  lacksGoods,
  mustCompare,
  saysLacking,
  theOneMeant,
} from '../../../domain/orders/which-order.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import { compareDecimals, type Decimal, parseDecimal, sumDecimals } from '../../../domain/values/money.ts'
import type { Attempt } from '../../../ports/attempt.ts'
import type { OrderNumber } from '../../../ports/orders.ts'
import { isOfTill } from '../intake/order.ts'
import { META, metaOf, ShopOrder } from '../people/shop-order.ts'
import { saysCode } from '../says-code.ts'
import { findLines, gtinsOf } from './find-lines.ts'
import { idsNumbered } from './numbered.ts'
import type { OrderContext } from './order-context.ts'

type Found = Omit<Candidate<ShopOrder>, 'holds' | 'lacks'>

/**
 * The order that an event is about: those that the hub has a link to under its number, the one that the shop itself gives this
 * number, and what a till placed under it. Where there are several, its goods tell which; else a HeldError `ambiguous-order`.
 */
export async function locateOrder(
  context: OrderContext,
  { number, lines }: OrderNumber,
  attempt: Attempt,
): Promise<ShopOrder> {
  const { destination } = context
  const { signal } = attempt
  const all = await candidatesOf(context, number, attempt)
  // Thrown away by the shop's staff: where there is another, it is that one.
  const kept = all.filter(({ order }) => order.status !== 'trash')
  const found = kept.length > 0 ? kept : all
  const goods = goodsOf(lines)
  const compare = mustCompare(found)
  const candidates = await Promise.all(
    found.map(async (one) => {
      const seemsToLack = lacksGoods(goods, articlesOf(one.order))
      const has = compare || seemsToLack ? await countsOf(context, one.order, goods, signal) : []
      return { ...one, holds: holdsGoods(goods, has), lacks: seemsToLack && has.every(isNone) }
    }),
  )
  const meant = theOneMeant(destination, number, candidates)
  if (meant) return meant
  throw new PermanentError(
    `${destination}: the shop has no order ${number}.${saysLacking(candidates)} If it is in another system, give this destination only its own stores; if it was deleted here, skip this.`,
    { code: 'no-such-order' },
  )
}

/** Where the shop's own order of this number is linked, it is not searched for: its numbers are given once. */
async function candidatesOf(context: OrderContext, number: string, attempt: Attempt): Promise<Found[]> {
  const found = new Map<number, Found>()
  const add = (order: ShopOrder, is: Candidate<ShopOrder>['is']) => {
    if (!found.has(order.id)) found.set(order.id, { order, theirId: String(order.id), is })
  }
  for (const { id, theirId } of await attempt.links('order', idsOfOrder(number))) {
    const order = await byId(context, theirId, attempt)
    const sort = sortOfLink(id)
    if (order) add(order, sort === 'web' && isOfTill(order) ? 'till' : sort)
  }
  if ([...found.values()].some(({ is }) => is === 'web')) return [...found.values()]
  for (const order of await numbered(context, number, attempt)) add(order, isOfTill(order) ? 'till' : 'web')
  return [...found.values()]
}

/** Orders that the shop itself knows by this number. The answers are compared with it: WordPress gives near misses too. */
async function numbered(context: OrderContext, number: string, attempt: Attempt): Promise<ShopOrder[]> {
  const same = await byId(context, number, attempt)
  if (same?.number === number) return [same]
  const meant = {
    isOwn: (order: Pick<ShopOrder, 'number'>) => order.number === number,
    is: (order: Pick<ShopOrder, 'meta_data'>) => metaOf(order, META.order) === number,
  }
  const ids = await idsNumbered(context.api, number, meant, attempt.signal)
  return (await Promise.all(ids.map((id) => byId(context, String(id), attempt)))).filter((order) => order !== null)
}

async function byId({ api }: OrderContext, id: string, { signal }: Attempt): Promise<ShopOrder | null> {
  if (!/^[1-9]\d{0,14}$/.test(id)) return null
  try {
    return (await api.get(`/orders/${id}`, {}, ShopOrder, signal)).value
  } catch (error) {
    if (saysCode(error, 'woocommerce_rest_shop_order_invalid_id')) return null
    throw error
  }
}

/** The names that its lines have for their articles. None: goods were taken off it, so it does not show all that it had. */
function articlesOf(order: ShopOrder): (string | null | undefined)[][] {
  const isLess = order.meta_data.some(({ key }) => key.startsWith(META.declined))
  return isLess ? [] : order.line_items.map(gtinsOf)
}

const isNone = (has: Decimal) => compareDecimals(has, parseDecimal(0)) === 0

/** How many it has of each. */
async function countsOf(
  context: OrderContext,
  order: ShopOrder,
  goods: readonly Goods[],
  signal: AbortSignal,
): Promise<Decimal[]> {
  const has: Decimal[] = []
  for (const one of goods) {
    const lines = await findLines(context, order, one, signal).catch((error: unknown) => {
      if (error instanceof PermanentError && error.code === 'no-such-line') return []
      throw error
    })
    has.push(sumDecimals(lines.map(({ quantity }) => parseDecimal(quantity))))
  }
  return has
}
