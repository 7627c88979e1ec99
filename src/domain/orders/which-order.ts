import { articleKey } from '../catalogue/article-number.ts'
import { HeldError } from '../values/errors.ts'
import { compareDecimals, type Decimal, sumDecimals, ZERO } from '../values/money.ts'
import { isDeclined, type OrderLineUpdate } from './order-update.ts'

/** A number may be a web order and a POS order; the goods of an event decide which, else an operator does. */

export interface Candidate<Order> {
  order: Order
  theirId: string
  is: 'web' | 'pos' | 'receipt'
  holds: boolean
  lacks: boolean
}

export type Goods = Pick<OrderLineUpdate, 'rowId' | 'gtin' | 'quantity'>

export function goodsOf(lines: readonly OrderLineUpdate[]): Goods[] {
  const named = lines.filter(({ gtin, rowId }) => gtin !== null || rowId !== null)
  const active = named.filter(({ status }) => !isDeclined(status))
  const each = Map.groupBy(active.length > 0 ? active : named, ({ gtin, rowId }) =>
    gtin === null ? `row ${rowId}` : `gtin ${articleKey(gtin)}`,
  )
  return [...each.values()].flatMap((same) => {
    const [first] = same
    return first ? { rowId: first.rowId, gtin: first.gtin, quantity: quantityOf(same) } : []
  })
}

export function holdsGoods(goods: readonly Goods[], has: readonly Decimal[]): boolean {
  return (
    goods.length > 0 &&
    goods.every(({ quantity }, index) => {
      const there = has[index] ?? ZERO
      return compareDecimals(there, ZERO) > 0 && (quantity === null || compareDecimals(there, quantity) >= 0)
    })
  )
}

/** 11 digits: a number that lost its zero. Other texts are no proof. */
const GTIN = /^(\d{8}|\d{11,14})$/

/** True only if both sides give GTINs for everything. `articles`: of all lines ever; empty: lines are missing. */
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

export function mustCompare(candidates: readonly Pick<Candidate<unknown>, 'is'>[]): boolean {
  return candidates.length > 1 || candidates.some(({ is }) => is === 'receipt')
}

/** A receipt match must have the goods. Null: none. Throws a HeldError `ambiguous-order`. */
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

export function saysLacking(candidates: readonly Pick<Candidate<unknown>, 'theirId' | 'is' | 'lacks'>[]): string {
  const lacking = candidates.filter(({ lacks }) => lacks)
  if (lacking.length === 0) return ''
  return ` What it has under this number, ${named(lacking)}, has none of the goods. If it is meant all the same, give its articles the GTINs that the platform calls them by.`
}

function named(candidates: readonly Pick<Candidate<unknown>, 'theirId' | 'is'>[]): string {
  return candidates.map(({ theirId, is }) => `${theirId} (${SORTS[is]})`).join(', ')
}

const SORTS = { web: 'a web order', pos: 'an order of a POS', receipt: "an order of a POS, by its receipt's number" }

function quantityOf(same: readonly Goods[]): Decimal | null {
  const read = same.flatMap(({ quantity }) => quantity ?? [])
  return read.length === same.length ? sumDecimals(read) : null
}

export interface PlacedOrder {
  number: string
  status: string | null
  storeName: string | null
  customer: { name: string | null; email: string | null /** E.164. */; phone: string | null } | null
  lines: { gtin: string | null; name: string | null; quantity: Decimal }[]
}
