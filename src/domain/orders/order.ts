import type { Sale } from '../books/sale.ts'
import { HeldError } from '../values/errors.ts'
import {
  amountText,
  compareDecimals,
  distanceBetween,
  equalMoney,
  type Money,
  parseDecimal,
  roundMoney,
  sumMoney,
} from '../values/money.ts'

/**
 * An order that was placed and paid at a till, for the online shop or OMS to carry out (spec, "Endless aisle"). `lines` are
 * those that the online store ships, and `total` is theirs.
 */
export interface TillOrder extends Omit<Sale, 'receiptUrl' | 'vatTotal'> {
  /** The number by which the customer and the till know it: the platform's order number, else the receipt's. */
  number: string
  /** The payment's reference, for the order that is created (spec, Events 4). */
  transactionId: string | null
  /** Comments that a till wrote as lines of their own: for people, and nothing to send. */
  comments: string[]
  /** The contradiction in a sale whose amounts do not add up, in words for whoever must look; null: they do. */
  contradiction: string | null
}

/** The kind of the event that says so (spec, Events 8). */
export const POS_ORDER_CREATED = 'OmniChannelEndlessAisleOrderCreated'

/** The part of an endless aisle sale that the online store ships: the lines that say so, or all where none does. */
export function tillOrder(sale: Sale): TillOrder {
  const flagged = sale.lines.filter((line) => line.shipFromOnlineStore)
  const all = flagged.length > 0 ? flagged : sale.lines
  const lines = all.filter((line) => !isComment(line))
  const { receiptNo, orderNo, createdAt, payments, store, customer, customerId } = sale
  const { shippingAddress, shipping, fulfillment } = sale
  return {
    number: orderNo ?? receiptNo,
    orderNo,
    receiptNo,
    transactionId:
      (referred(payments)[0] ?? payments.find(({ transaction }) => transaction !== null))?.transaction ?? null,
    createdAt,
    ...ofLines(lines, sale.total.currency),
    payments,
    store,
    customer,
    customerId,
    shippingAddress,
    shipping,
    fulfillment,
    comments: all.filter(isComment).map(({ name }) => name),
    contradiction: contradictionOf(sale),
  }
}

/** A remark that costs nothing. */
function isComment(line: Sale['lines'][number]): boolean {
  return isRemark(line) && compareDecimals(line.total.amount, NONE) === 0
}

/**
 * The order, where each of its articles is at least a piece, or a part of one. Throws a HeldError `not-in-pieces` for an article of which
 * there are 0 or fewer, and for an order without goods. `released`: an operator lets it go without those.
 */
export function requirePieces<Order extends TillOrder>(order: Order, released: boolean): Order {
  const { number, lines, total, comments } = order
  const goods = lines.filter(({ quantity }) => compareDecimals(quantity, NONE) > 0)
  if (goods.length === 0)
    throw new HeldError(
      `the order ${number} has no goods to send: ${[...lines.map(named), ...comments.map((name) => named({ quantity: NONE, name }))].join(', ') || 'it has no lines'}. Ask the store what was sold, make the order by hand if one is due, then skip this`,
      { code: NOT_IN_PIECES },
    )
  const others = lines.filter((line) => compareDecimals(line.quantity, NONE) <= 0 && !isRemark(line))
  if (others.length === 0) return order
  if (!released)
    throw new HeldError(
      `the order ${number} has articles of which nothing is to be sent: ${others.map(named).join(', ')}. Ask the store what was sold. Make the order by hand and skip this; or release it, and it is made of its other lines alone`,
      { code: NOT_IN_PIECES },
    )
  return {
    ...order,
    ...ofLines(
      lines.filter((line) => compareDecimals(line.quantity, NONE) > 0 || isRemark(line)),
      total.currency,
    ),
  }
}

/** A line of nothing that names no article is a remark of whoever sold. */
function isRemark({ gtin, sku, quantity }: Pick<TillOrder['lines'][number], 'gtin' | 'sku' | 'quantity'>): boolean {
  return gtin === null && sku === null && compareDecimals(quantity, NONE) === 0
}

/** The code of what is held because what it is about is not counted in pieces, of which there is one at least. */
const NOT_IN_PIECES = 'not-in-pieces'

const NONE = parseDecimal(0)

function named({ quantity, name }: Pick<TillOrder['lines'][number], 'quantity' | 'name'>): string {
  return `${quantity} × ${name.slice(0, LONGEST_NAME)}`
}

/** Letters. */
const LONGEST_NAME = 60

function ofLines(lines: TillOrder['lines'], currency: string): Pick<TillOrder, 'lines' | 'total'> {
  return {
    total: sumMoney(
      lines.map((line) => line.total),
      currency,
    ),
    lines,
  }
}

/**
 * What each payment of an order stands for, where it was paid by several that have a reference of their own; null: one transaction id says
 * all. Money that is given back later goes by each of them.
 */
export function severalReferences({ payments }: Pick<TillOrder, 'payments'>): string | null {
  const parts = referred(payments)
  if (new Set(parts.map(({ transaction }) => transaction)).size < 2) return null
  const shown = parts.map(
    ({ type, subType, amount, transaction }) =>
      `${subType ? `${type} (${subType})` : type} ${amountText(amount)} ${amount.currency}: ${transaction}`,
  )
  return `It was paid in parts, each with a reference of its own: ${shown.join('; ')}.`
}

/** Payments that a provider knows by a reference. What a gift card or a voucher goes by may be as good as money. */
function referred(payments: TillOrder['payments']): TillOrder['payments'] {
  return payments.filter(({ type, transaction }) => transaction !== null && !OWN_MONEY.test(type))
}

const OWN_MONEY = /^(gift ?card|voucher)/i

/** Less than this may be the rounding of cash, which a till need not name. */
const ROUNDED = parseDecimal(1)

/**
 * The contradiction between the lines of the sale, its total and what was paid. Which of them is right is for a person to say: the order
 * costs what its lines do.
 */
export function contradictionOf({ total, lines, payments }: Pick<Sale, 'total' | 'lines' | 'payments'>): string | null {
  const { currency } = total
  const sumOf = (moneys: Money[]) => roundMoney(sumMoney(moneys, currency))
  const sold = sumOf(lines.map((line) => line.total))
  const paid = payments.length === 0 ? null : sumOf(payments.map(({ amount }) => amount))
  const whole = roundMoney(total)
  const isPaid = paid === null || compareDecimals(distanceBetween(paid.amount, whole.amount), ROUNDED) < 0
  if (equalMoney(sold, whole) && isPaid) return null
  const said = [
    `lines of ${shown(sold)}`,
    `a total of ${shown(whole)}`,
    ...(paid ? [`payments of ${shown(paid)}`] : []),
  ]
  return `The till's sums contradict each other: ${said.join(', ')}.`
}

function shown(amount: Money): string {
  return `${amountText(amount)} ${amount.currency}`
}
