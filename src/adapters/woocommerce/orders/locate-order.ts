import { z } from 'zod'
import { isSameArticle, ofArticle } from '../../../domain/catalogue/article-number.ts'
import { idsOfOrder, sortOfLink } from '../../../domain/orders/link.ts'
import type { OrderLineUpdate } from '../../../domain/orders/order-update.ts'
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
import { pagesOf, type ShopApi, saysCode } from '../api.ts'
import { isOfTill, META, metaOf, type ShopLine, ShopOrder } from '../shop-order.ts'
import { findProducts } from '../stock/products.ts'
import type { OrderContext } from './order-context.ts'

type Wanted = Pick<OrderLineUpdate, 'rowId' | 'gtin'>

/**
 * The lines of an order that are meant: by the shop's own id of the line, which the till's order lookup gave, else by the
 * till's, else by the GTIN. Several where the same article stands on several.
 */
export async function findLines(
  { api, destination }: OrderContext,
  order: ShopOrder,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<ShopLine[]> {
  const { rowId, gtin } = wanted
  const known = [
    (line: ShopLine) => rowId !== null && String(line.id) === rowId && fits(line, gtin),
    (line: ShopLine) => rowId !== null && metaOf(line, META.row) === rowId,
  ]
  for (const is of known) {
    const found = order.line_items.filter(is)
    if (found.length > 0) return found
  }
  const named = gtin === null ? [] : ofArticle(order.line_items, gtinsOf, gtin)
  if (named.length > 0) return named
  const [product] = gtin === null ? [] : await findProducts(api, [{ sku: null, gtin }], signal)
  const sold = product && ('variation_id' in product ? product.variation_id : product.product_id)
  const found = sold ? order.line_items.filter((line) => (line.variation_id || line.product_id) === sold) : []
  if (found.length > 0) return found
  throw new PermanentError(
    `${destination}: order ${order.number} has no line ${rowId ?? '(without id)'} with GTIN ${gtin ?? 'unknown'}. Put the GTIN into the shop's product (or its SKU), then retry; else do it in the shop and skip this.`,
    { code: 'no-such-line' },
  )
}

/** A row's id may by chance be the id of another line: then the GTIN says so. */
function fits(line: ShopLine, gtin: string | null): boolean {
  const known = [metaOf(line, META.gtin), line.global_unique_id].filter(Boolean)
  return gtin === null || known.length === 0 || gtinsOf(line).some((own) => isSameArticle(own, gtin))
}

export function gtinsOf(line: ShopLine): (string | null | undefined)[] {
  return [metaOf(line, META.gtin), line.global_unique_id, line.sku]
}

/** All that may be the GTIN of what these lines are of, by the shop's own lines, and by those that the platform names. */
export function articlesOf(lines: readonly ShopLine[], named: readonly Pick<OrderLineUpdate, 'gtin'>[]): string[] {
  return [...lines.flatMap(gtinsOf), ...named.map(({ gtin }) => gtin)].flatMap((gtin) => gtin || [])
}

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
  const query = { search: term, _fields: 'id,number,meta_data' }
  for await (const page of pagesOf(api, '/orders', query, z.unknown(), { signal })) {
    const listed = page.flatMap((one) => Listed.safeParse(one).data ?? [])
    for (const one of listed) if (is(one) || isOwn(one)) found.push(one.id)
    if (listed.some(isOwn)) break
  }
  return [...new Set(found)]
}

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
      const seemsToLack = lacksGoods(goods, articleNumbersOf(one.order))
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
function articleNumbersOf(order: ShopOrder): (string | null | undefined)[][] {
  const isLess = order.meta_data.some(({ key }) => key.startsWith(META.declined))
  return isLess ? [] : order.line_items.map(gtinsOf)
}

const isNone = (has: Decimal) => compareDecimals(has, parseDecimal(0)) === 0

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
