import { articleKey } from '../catalogue/article-number.ts'
import { HeldError } from '../values/errors.ts'
import { compareDecimals, type Decimal, parseDecimal, sumDecimals } from '../values/money.ts'
import { isDeclined, type OrderLineUpdate } from './order-update.ts'

/*
 * A number may be of several orders: of one that a customer placed on the web, and of one that a till placed. What an event
 * says of its goods tells them apart; where it does not, a person does.
 */

/** An order that a number may mean. */
export interface Candidate<Order> {
  order: Order
  /** The system's own id of it. */
  theirId: string
  /** `till`: placed at a till under this number. `receipt`: placed at a till, where its receipt has this number, and it has none. */
  is: 'web' | 'till' | 'receipt'
  /** Whether it has all the goods that the event is about. */
  holds: boolean
  /** Whether it has none of them for certain: see `lacksGoods`. */
  lacks: boolean
}

/** Pieces of an article, by its GTIN, or by the row that names it. */
export type Goods = Pick<OrderLineUpdate, 'rowId' | 'gtin' | 'quantity'>

/**
 * The goods by which an order is known, one of an article. What a store declined may be gone from the order by now, so it
 * counts only where there is nothing else. None: they do not tell.
 */
export function goodsOf(lines: readonly OrderLineUpdate[]): Goods[] {
  const named = lines.filter(({ gtin, rowId }) => gtin !== null || rowId !== null)
  const standing = named.filter(({ status }) => !isDeclined(status))
  const each = Map.groupBy(standing.length > 0 ? standing : named, ({ gtin, rowId }) =>
    gtin === null ? `row ${rowId}` : `gtin ${articleKey(gtin)}`,
  )
  return [...each.values()].flatMap((same) => {
    const [first] = same
    return first ? { rowId: first.rowId, gtin: first.gtin, quantity: quantityOf(same) } : []
  })
}

/** Whether an order has all of the goods: of each at least as many, where it can be read how many. `has`: how many, in their order. */
export function holdsGoods(goods: readonly Goods[], has: readonly Decimal[]): boolean {
  return (
    goods.length > 0 &&
    goods.every(({ quantity }, index) => {
      const there = has[index] ?? ZERO
      return compareDecimals(there, ZERO) > 0 && (quantity === null || compareDecimals(there, quantity) >= 0)
    })
  )
}

/** A GTIN of 8, 12, 13 or 14 digits, or of 11 where a number has lost its zero: a system that writes an SKU in its place does not say which article it is. */
const GTIN = /^(\d{8}|\d{11,14})$/

/**
 * Whether an order has none of the goods for certain: it tells the GTIN of each article that it has, and the event tells those of
 * its own. `articles`: of each line that the order has ever had, what it calls the article; none: lines are gone.
 */
export function lacksGoods(
  goods: readonly Goods[],
  articles: readonly (readonly (string | null | undefined)[])[],
): boolean {
  const isGtin = (name: string | null | undefined) => typeof name === 'string' && GTIN.test(name)
  const known = new Set(articles.flatMap((names) => names.flatMap((name) => (name ? articleKey(name) : []))))
  return (
    goods.length > 0 &&
    articles.length > 0 &&
    articles.every((names) => names.some(isGtin)) &&
    goods.every(({ gtin }) => gtin !== null && isGtin(gtin) && !known.has(articleKey(gtin)))
  )
}

/** Whether it takes the goods to tell which of them is meant. */
export function mustCompare(candidates: readonly Pick<Candidate<unknown>, 'is'>[]): boolean {
  return candidates.length > 1 || candidates.some(({ is }) => is === 'receipt')
}

/**
 * The order that is meant: the only one, or the only one that has the goods. An order that only shares the number of its
 * receipt must have them, and the only one is not meant where it has none of them: the one that has may be yet to come. Null: there is none. Throws a HeldError `ambiguous-order` where it may be one or the other.
 */
export function theOneMeant<Order>(
  destination: string,
  number: string,
  candidates: readonly Candidate<Order>[],
): Order | null {
  const possible = candidates.filter(({ is, holds }) => is !== 'receipt' || holds)
  const fitting = possible.filter(({ holds }) => holds)
  const [only] = possible.length === 1 ? possible : fitting.length === 1 ? fitting : []
  if (only) return only.lacks ? null : only.order
  if (possible.length === 0) return null
  throw ambiguous(destination, number, possible)
}

/** Nothing was done, because it may concern one order or another of the same number. */
export function ambiguous(
  destination: string,
  number: string,
  candidates: readonly Pick<Candidate<unknown>, 'theirId' | 'is'>[],
): HeldError {
  return new HeldError(
    `${destination}: the number ${number} is that of several orders: ${named(candidates)}. Which one is meant cannot be told from the goods. Ask the store which it is, do it there by hand, then skip this; or, if only one is left there, retry it.`,
    { code: 'ambiguous-order' },
  )
}

/** A sentence about orders that have the number and none of the goods; empty: there are none. */
export function saysLacking(candidates: readonly Pick<Candidate<unknown>, 'theirId' | 'is' | 'lacks'>[]): string {
  const lacking = candidates.filter(({ lacks }) => lacks)
  if (lacking.length === 0) return ''
  return ` What it has under this number, ${named(lacking)}, has none of the goods. If it is meant all the same, give its articles the GTINs that the platform calls them by.`
}

function named(candidates: readonly Pick<Candidate<unknown>, 'theirId' | 'is'>[]): string {
  return candidates.map(({ theirId, is }) => `${theirId} (${SORTS[is]})`).join(', ')
}

const SORTS = { web: 'a web order', till: 'an order of a till', receipt: "an order of a till, by its receipt's number" }

/** Null: one of them cannot be read. */
function quantityOf(same: readonly Goods[]): Decimal | null {
  const read = same.flatMap(({ quantity }) => quantity ?? [])
  return read.length === same.length ? sumDecimals(read) : null
}

const ZERO = parseDecimal(0)

/** An online order as far as messages to its customer need it: from what an own system submitted, else from the platform. */
export interface PlacedOrder {
  number: string
  /** As the platform has it now; null where it was not asked. */
  status: string | null
  storeName: string | null
  customer: { name: string | null; email: string | null /** E.164. */; phone: string | null } | null
  lines: { gtin: string | null; name: string | null; quantity: Decimal }[]
}
