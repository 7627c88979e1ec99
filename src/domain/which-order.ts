import { HeldError } from './errors.ts'
import { compareDecimals, type Decimal, parseDecimal, sumDecimals } from './money.ts'
import { isDeclined, type OrderLineUpdate } from './order-update.ts'

/*
 * A number may be of several orders: of one that a customer placed on the web, and of one that a till placed. What an event
 * says of its goods tells them apart; where it does not, a person does.
 */

/** An order that a number may mean. */
export interface Candidate<Order> {
  order: Order
  /** What the system calls it. */
  theirId: string
  /** `till`: placed at a till under this number. `receipt`: placed at a till, where its receipt has this number, and it has none. */
  is: 'web' | 'till' | 'receipt'
  /** Whether it has all the goods that the event is about. */
  holds: boolean
}

/** So many of an article, by its GTIN, or by the row that names it. */
export type Goods = Pick<OrderLineUpdate, 'rowId' | 'gtin' | 'quantity'>

/**
 * The goods by which an order is known, one of an article. What a store declined may be gone from the order by now, so it
 * counts only where there is nothing else. None: they do not tell.
 */
export function goodsOf(lines: readonly OrderLineUpdate[]): Goods[] {
  const named = lines.filter(({ gtin, rowId }) => gtin !== null || rowId !== null)
  const standing = named.filter(({ status }) => !isDeclined(status))
  const each = Map.groupBy(standing.length > 0 ? standing : named, ({ gtin, rowId }) =>
    gtin === null ? `row ${rowId}` : `gtin ${gtin}`,
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

/** Whether it takes the goods to tell which of them is meant. */
export function mustCompare(candidates: readonly Pick<Candidate<unknown>, 'is'>[]): boolean {
  return candidates.length > 1 || candidates.some(({ is }) => is === 'receipt')
}

/**
 * The order that is meant: the only one, or the only one that has the goods. An order that only shares the number of its
 * receipt must have them. Null: there is none. Throws a HeldError `ambiguous-order` where it may be one or the other.
 */
export function theOneMeant<Order>(
  destination: string,
  number: string,
  candidates: readonly Candidate<Order>[],
): Order | null {
  const possible = candidates.filter(({ is, holds }) => is !== 'receipt' || holds)
  const fitting = possible.filter(({ holds }) => holds)
  const [only] = possible.length === 1 ? possible : fitting.length === 1 ? fitting : []
  if (only) return only.order
  if (possible.length === 0) return null
  throw ambiguous(destination, number, possible)
}

/** Nothing was done, because it may concern one order or another of the same number. */
export function ambiguous(
  destination: string,
  number: string,
  candidates: readonly Pick<Candidate<unknown>, 'theirId' | 'is'>[],
): HeldError {
  const names = candidates.map(({ theirId, is }) => `${theirId} (${SORTS[is]})`).join(', ')
  return new HeldError(
    `${destination}: the number ${number} is that of several orders: ${names}. Which one is meant cannot be told from the goods. Ask the store which it is, do it there by hand, then skip this; or, if only one is left there, retry it.`,
    { code: 'ambiguous-order' },
  )
}

const SORTS = { web: 'a web order', till: 'an order of a till', receipt: "an order of a till, by its receipt's number" }

/** Null: one of them cannot be read. */
function quantityOf(same: readonly Goods[]): Decimal | null {
  const read = same.flatMap(({ quantity }) => quantity ?? [])
  return read.length === same.length ? sumDecimals(read) : null
}

const ZERO = parseDecimal(0)
