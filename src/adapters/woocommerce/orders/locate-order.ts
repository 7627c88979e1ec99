import { z } from 'zod'
import { isSameArticle, ofArticle } from '../../../domain/catalogue/article-number.ts'
import type { OrderLineUpdate } from '../../../domain/orders/order-update.ts'
import { type Goods, goodsOf, holdsGoods, lacksGoods, mustCompare } from '../../../domain/orders/which-order.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import { compareDecimals, type Decimal, parseDecimal, sumDecimals } from '../../../domain/values/money.ts'
import type { Attempt } from '../../../ports/attempt.ts'
import type { OrderNumber } from '../../../ports/ports.ts'
import { candidatesOf, theOrder } from '../../shared/shop-orders.ts'
import { pagesOf, type ShopApi, saysCode } from '../api.ts'
import { isOfTill, META, metaOf, type ShopLine, ShopOrder } from '../shop-order.ts'
import { findProducts } from '../stock/products.ts'
import type { OrderContext } from './order-context.ts'

type Wanted = Pick<OrderLineUpdate, 'rowId' | 'gtin'>

/** By the shop's row id (of the order lookup), else the POS's, else the GTIN; several where an article stands on several lines. */
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

/** A POS's row id may by chance be the id of another line. */
function fits(line: ShopLine, gtin: string | null): boolean {
  const known = [metaOf(line, META.gtin), line.global_unique_id].filter(Boolean)
  return gtin === null || known.length === 0 || gtinsOf(line).some((own) => isSameArticle(own, gtin))
}

export function gtinsOf(line: ShopLine): (string | null | undefined)[] {
  return [metaOf(line, META.gtin), line.global_unique_id, line.sku]
}

export function articlesOf(lines: readonly ShopLine[], named: readonly Pick<OrderLineUpdate, 'gtin'>[]): string[] {
  return [...lines.flatMap(gtinsOf), ...named.map(({ gtin }) => gtin)].flatMap((gtin) => gtin || [])
}

const Listed = ShopOrder.pick({ id: true, number: true, meta_data: true })

type Listed = z.output<typeof Listed>

/**
 * Ids that the shop's search finds and `is` accepts, until the shop's own order. The search matches phone numbers and postal codes, too:
 * it may be on any page.
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

/** The order of an event, by its goods where several have its number. */
export async function locateOrder(
  context: OrderContext,
  { number, lines }: OrderNumber,
  attempt: Attempt,
): Promise<ShopOrder> {
  const { signal } = attempt
  const byId = (id: string) => orderById(context, id, signal)
  const all = await candidatesOf<ShopOrder>(number, attempt, {
    idOf: ({ id }) => String(id),
    isFromTill: isOfTill,
    byId,
    // WordPress gives near misses.
    byNumber: async () => {
      const same = await byId(number)
      if (same?.number === number) return [same]
      const meant = {
        isOwn: (order: Pick<ShopOrder, 'number'>) => order.number === number,
        is: (order: Pick<ShopOrder, 'meta_data'>) => metaOf(order, META.order) === number,
      }
      const ids = await idsNumbered(context.api, number, meant, signal)
      return (await Promise.all(ids.map((id) => byId(String(id))))).filter((order) => order !== null)
    },
  })
  // Not the one in the trash, where there is another.
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
  return theOrder(context.destination, number, candidates)
}

async function orderById({ api }: OrderContext, id: string, signal: AbortSignal): Promise<ShopOrder | null> {
  if (!/^[1-9]\d{0,14}$/.test(id)) return null
  return await api
    .get(`/orders/${id}`, {}, ShopOrder, signal)
    .then(({ value }) => value)
    .catch((error: unknown) => {
      if (saysCode(error, 'woocommerce_rest_shop_order_invalid_id')) return null
      throw error
    })
}

/** None where goods were taken off: it does not show all that it had. */
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
