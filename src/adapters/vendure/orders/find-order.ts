import type { Tallied } from '../../../domain/ledger/destination/tallied.ts'
import { idsOfOrder, sortOfLink } from '../../../domain/orders/link.ts'
import {
  type Candidate,
  goodsOf,
  holdsGoods,
  lacksGoods,
  saysLacking,
  theOneMeant,
} from '../../../domain/orders/which-order.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import { formatInstant, type Instant } from '../../../domain/values/instant.ts'
import type { Attempt, Question } from '../../../ports/attempt.ts'
import type { OrderNumber } from '../../../ports/orders.ts'
import type { GivenOrder } from '../../../ports/tally.ts'
import { idsThere, type OrderThere, talliedOrder } from '../../shared/orders-there.ts'
import { readOrder, runOrder, type Shop } from '../shop.ts'
import { countOf, gtinOf, hasMarkedNote, isFromTill, type ShopOrder, tillKeyOf } from './shop-order.ts'

/** How much the shop's clock may be behind ours (milliseconds). */
export const CLOCKS = 10 * 60_000

const PAGE = 50

/**
 * The order that bears the attempt's key, among all since the first try, carts left out. Oldest first: an order that comes
 * meanwhile goes to the end and moves no other to a page that was read already. A look that fails, or that has no time left, is
 * gone on with by the next try.
 */
export function findByKey(
  shop: Shop,
  attempt: Pick<Attempt, 'key' | 'firstTriedAt' | 'signal'>,
): Promise<ShopOrder | null> {
  return shop.looks.goOn(attempt.key, () => lookByKey(shop, attempt))
}

async function lookByKey(
  shop: Shop,
  { key, firstTriedAt, signal }: Pick<Attempt, 'key' | 'firstTriedAt' | 'signal'>,
): Promise<ShopOrder | null> {
  const after = formatInstant((firstTriedAt ?? Date.now()) - CLOCKS)
  const filter = { createdAt: { after }, state: { notEq: 'AddingItems' } }
  const start = shop.looks.of(key) ?? 0
  for (let skip = start, total = start + 1; skip < total; skip += PAGE) {
    // One that was deleted meanwhile has moved others to the page before.
    shop.looks.reached(key, Math.max(0, skip - PAGE))
    const page = await orders(shop, { filter, sort: { createdAt: 'ASC', id: 'ASC' }, take: PAGE, skip }, signal)
    const found = page.items.find((order) => hasMarkedNote(order, key))
    if (found) return ended(found)
    total = page.totalItems
  }
  return ended(null)

  function ended<Result>(result: Result): Result {
    shop.looks.ended(key)
    return result
  }
}

/** All orders that bear one of the keys, made since an instant, carts left out. */
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

/** By its code, which is exact, else by the custom field. */
export async function findByCode(shop: Shop, number: string, signal: AbortSignal): Promise<ShopOrder | null> {
  const { numberField } = shop.options
  const coded = await orders(shop, { filter: { code: { eq: number } }, take: 1 }, signal)
  if (coded.items[0] || numberField === undefined) return coded.items[0] ?? null
  const sort = { createdAt: 'DESC' }
  const numbered = await orders(shop, { filter: { [numberField]: { eq: number } }, sort, take: 1 }, signal)
  return numbered.items[0] ?? null
}

/**
 * The order that an event is about: those that the hub has a link to under its number, and the one that the shop itself calls
 * so. Where there are several, its goods tell which; else a HeldError `ambiguous-order`. None: a PermanentError `no-such-order`.
 */
export async function orderOf(
  shop: Shop,
  { number, lines }: OrderNumber,
  attempt: Pick<Attempt, 'signal' | 'links'>,
): Promise<ShopOrder> {
  const { destination } = shop.api
  const goods = goodsOf(lines)
  const has = (order: ShopOrder) => goods.map((one) => countOf(order, one, shop.options))
  const found = await candidatesOf(shop, number, attempt)
  const candidates = found.map((one) => ({
    ...one,
    holds: holdsGoods(goods, has(one.order)),
    lacks: lacksGoods(
      goods,
      one.order.lines.map((line) => [gtinOf(line, shop.options)]),
    ),
  }))
  const meant = theOneMeant(destination, number, candidates)
  if (meant) return meant
  throw new PermanentError(`${destination}: the shop has no order ${number}.${saysLacking(candidates)}`, {
    code: 'no-such-order',
  })
}

type Found = Omit<Candidate<ShopOrder>, 'holds' | 'lacks'>

/** Where the shop's own order of this number is linked, it is not looked for: codes are given once. */
async function candidatesOf(
  shop: Shop,
  number: string,
  { signal, links }: Pick<Attempt, 'signal' | 'links'>,
): Promise<Found[]> {
  const found = new Map<string, Found>()
  const add = (order: ShopOrder, is: Found['is']) => {
    if (!found.has(order.id)) found.set(order.id, { order, theirId: order.id, is })
  }
  for (const { id, theirId } of await links('order', idsOfOrder(number))) {
    const sort = sortOfLink(id)
    // The link of an order that the shop submitted may name the number itself.
    const order = theirId === number ? null : await readOrder(shop, theirId, { signal })
    if (order) add(order, sort === 'web' && isFromTill(order) ? 'till' : sort)
  }
  if ([...found.values()].some(({ is }) => is === 'web')) return [...found.values()]
  const coded = await findByCode(shop, number, signal)
  if (coded) add(coded, isFromTill(coded) ? 'till' : 'web')
  return [...found.values()]
}

export function orders(shop: Shop, options: object, signal: AbortSignal) {
  return runOrder(shop, shop.operations.orders, { options }, { signal })
}

/** Orders by their ids, one after the other, with the query by which the adapter reads an order anyway. */
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
