import type { Tallied } from '../../../domain/ledger/destination/tallied.ts'
import { goodsOf, holdsGoods, lacksGoods } from '../../../domain/orders/which-order.ts'
import { formatInstant, type Instant } from '../../../domain/values/instant.ts'
import type { Attempt, Question } from '../../../ports/attempt.ts'
import type { GivenOrder, OrderNumber } from '../../../ports/ports.ts'
import { idsThere, type OrderThere, talliedOrder } from '../../shared/orders-there.ts'
import { CLOCKS, candidatesOf, since, theOrder } from '../../shared/shop-orders.ts'
import { readOrder, runOrder, type Shop } from '../shop.ts'
import { countOf, gtinOf, hasMarkedNote, isFromTill, type ShopOrder, tillKeyOf } from './shop-order.ts'

const PAGE = 50

/** By the attempt's key, without carts. Oldest first: an order that comes meanwhile moves no other to a page that was read. */
export function findByKey(
  shop: Shop,
  { key, firstTriedAt, signal }: Pick<Attempt, 'key' | 'firstTriedAt' | 'signal'>,
): Promise<ShopOrder | null> {
  const createdAt = { after: formatInstant(since({ firstTriedAt })) }
  return shop.looks(key, 0, async (start, reached) => {
    for (let skip = start, total = start + 1; skip < total; skip += PAGE) {
      // A deletion meanwhile moves others to the page before.
      reached(Math.max(0, skip - PAGE))
      const filter = { createdAt, state: { notEq: 'AddingItems' } }
      const page = await orders(shop, { filter, sort: { createdAt: 'ASC', id: 'ASC' }, take: PAGE, skip }, signal)
      const found = page.items.find((order) => hasMarkedNote(order, key))
      if (found) return found
      total = page.totalItems
    }
    return null
  })
}

/** Without carts. */
async function findByKeys(
  shop: Shop,
  keys: ReadonlySet<string>,
  since: Instant,
  signal: AbortSignal,
): Promise<[key: string, id: string][]> {
  const filter = { createdAt: { after: formatInstant(since - CLOCKS) }, state: { notEq: 'AddingItems' } }
  const found: [string, string][] = []
  for (let skip = 0, total = 1; skip < total; skip += PAGE) {
    const page = await orders(shop, { filter, sort: { createdAt: 'ASC', id: 'ASC' }, take: PAGE, skip }, signal)
    for (const order of page.items) for (const key of keys) if (hasMarkedNote(order, key)) found.push([key, order.id])
    total = page.totalItems
  }
  return found
}

/** By its code, else the custom field. */
export async function findByCode(shop: Shop, number: string, signal: AbortSignal): Promise<ShopOrder | null> {
  const { numberField } = shop.options
  const coded = await orders(shop, { filter: { code: { eq: number } }, take: 1 }, signal)
  if (coded.items[0] || numberField === undefined) return coded.items[0] ?? null
  const sort = { createdAt: 'DESC' }
  const numbered = await orders(shop, { filter: { [numberField]: { eq: number } }, sort, take: 1 }, signal)
  return numbered.items[0] ?? null
}

/** The order of an event, by its goods where several have its number. */
export async function orderOf(
  shop: Shop,
  { number, lines }: OrderNumber,
  attempt: Pick<Attempt, 'signal' | 'links'>,
): Promise<ShopOrder> {
  const goods = goodsOf(lines)
  const found = await candidatesOf<ShopOrder>(number, attempt, {
    idOf: ({ id }) => id,
    isFromTill,
    // A submitted order's link may be the number itself.
    byId: async (id) => (id === number ? null : await readOrder(shop, id, attempt)),
    byNumber: async () => [(await findByCode(shop, number, attempt.signal)) ?? []].flat(),
  })
  const candidates = found.map((one) => {
    const has = goods.map((wanted) => countOf(one.order, wanted, shop.options))
    const articles = one.order.lines.map((line) => [gtinOf(line, shop.options)])
    return { ...one, holds: holdsGoods(goods, has), lacks: lacksGoods(goods, articles) }
  })
  return theOrder(shop.api.destination, number, candidates)
}

export function orders(shop: Shop, options: object, signal: AbortSignal) {
  return runOrder(shop, shop.operations.orders, { options }, { signal })
}

/** One by one. */
export async function tally(shop: Shop, given: readonly GivenOrder[], question: Question): Promise<Tallied[]> {
  const orders = new Map<string, OrderThere>()
  const idsOfEach = await idsThere(given, (keys, since) => findByKeys(shop, keys, since, question.signal))
  for (const id of new Set(idsOfEach.flat())) {
    const order = await readOrder(shop, id, question)
    if (order) orders.set(id, orderThere(shop, order))
  }
  return given.map((one, index) => talliedOrder(one, idsOfEach[index] ?? [], orders))
}

function orderThere({ amounts }: Shop, order: ShopOrder): OrderThere {
  const { state, payments, totalWithTax, currencyCode } = order
  const isChanged = state === 'Cancelled' || payments.some(({ refunds }) => refunds.length > 0)
  return {
    key: tillKeyOf(order),
    gone: null,
    isOff: state === 'Cancelled',
    amount: isChanged ? null : { amount: amounts.decimal(totalWithTax), currency: currencyCode },
  }
}
