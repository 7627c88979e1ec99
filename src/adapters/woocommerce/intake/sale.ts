import {
  addMoney,
  allocateMoney,
  compareDecimals,
  type Money,
  money,
  multiplyDecimals,
  parseDecimal,
  subtractDecimals,
  sumDecimals,
  sumMoney,
} from '../../../domain/values/money.ts'
import { piecesOf } from '../../shared/pieces.ts'
import type { WooCommerceOptions } from '../options.ts'
import { refundedOf, type ShopLine, type ShopRefund } from '../people/shop-order.ts'
import { creditOf } from './credit.ts'
import { buyerOf } from './customer.ts'
import { afterDiscount, discountOf, notBelowZero } from './discount.ts'
import type { WholeOrder } from './order.ts'
import { costOf, gtinOf } from './order-line.ts'

/** The type of a payment that is not specified (spec, paymentLines). */
const UNSPECIFIED = 99

const ZERO = parseDecimal(0)

/**
 * A completed order in the form of `/v1/sales`. Its payment is what its lines add up to, exactly (facts §5): shipping and fees
 * are one more line where there is an article for them, else they are no part of the sale. `refunds`: those of the shop's people
 * before its completion. Null: there is nothing in it.
 */
export function saleOf(
  order: WholeOrder,
  { freightGtin, creditPayment }: Pick<WooCommerceOptions, 'freightGtin' | 'creditPayment'>,
  refunds: readonly ShopRefund[] = [],
): Record<string, unknown> | null {
  const { currency } = order
  const goods = soldLines(order, refunds).flatMap(({ line, quantity: pieces, cost }) =>
    piecesOf(cost, pieces).map(({ price, quantity }) => ({
      identity: gtinOf(line),
      price,
      qty: quantity,
    })),
  )
  const sold = sumDecimals(goods.map(({ price, qty }) => multiplyDecimals(price, qty)))
  const back = sumDecimals(refunds.map(({ amount }) => parseDecimal(amount)))
  const credit = creditOf(order)?.amount ?? ZERO
  const paid = sumDecimals([money(order.total, currency).amount, credit])
  const rest = subtractDecimals(subtractDecimals(paid, back), sold)
  const salesLines = [...goods, ...(freightGtin === undefined ? [] : freightLine(freightGtin, rest))]
  if (salesLines.length === 0) return null
  const amount = sumDecimals(salesLines.map(({ price, qty }) => multiplyDecimals(price, qty)))
  const country = (order.billing.country ?? order.shipping.country ?? '').toUpperCase()
  const at = order.date_paid_gmt ?? order.date_completed_gmt ?? order.date_created_gmt
  return {
    orderNo: order.number,
    // Where config does not say it for all.
    ...(/^[A-Z]{2}$/.test(country) && { country }),
    saleDateTime: `${at}Z`,
    customer: buyerOf(order),
    salesLines,
    paymentLines: payments(),
  }

  /** A gift card that lowered the total without a line is a payment of its own kind; it paid no more than what was sold. */
  function payments() {
    const byCredit = compareDecimals(credit, amount) < 0 ? credit : amount
    const others = subtractDecimals(amount, byCredit)
    if (byCredit === ZERO) return [{ amount, paymentType: UNSPECIFIED, currency }]
    return [
      ...(others === ZERO ? [] : [{ amount: others, paymentType: UNSPECIFIED, currency }]),
      { amount: byCredit, paymentType: creditPayment?.paymentType ?? UNSPECIFIED, currency },
    ]
  }
}

/** Where less was paid than the goods cost together: the article goes back, so to say. */
function freightLine(identity: string, rest: typeof ZERO) {
  const way = compareDecimals(rest, ZERO)
  if (way === 0) return []
  const price = way < 0 ? subtractDecimals(ZERO, rest) : rest
  return [{ identity, price, qty: parseDecimal(way < 0 ? -1 : 1) }]
}

/** The part of a line that the customer kept, and what was paid for it. */
interface SoldLine {
  line: ShopLine
  quantity: number
  cost: Money
}

/**
 * The goods that the customer of an order kept, at what was paid for them in the end. WooCommerce leaves the lines of an order as they
 * were, whatever `refunds` gave back of it. Money of no line, a fee below zero or a refund that names none, is off all of them.
 */
function soldLines(order: WholeOrder, refunds: readonly ShopRefund[]): SoldLine[] {
  const { currency } = order
  const kept = order.line_items.flatMap((line) => keptOf(line, refunds, currency) ?? [])
  const discount = refunds.map((refund) => ofNoLine(refund, currency)).reduce(addMoney, discountOf(order, refunds))
  const costs = afterDiscount(
    kept.map(({ cost }) => cost),
    discount,
  )
  return kept.map((one, index) => ({ ...one, cost: costs[index] ?? one.cost }))
}

/** Null: all of it was given back. Money without pieces makes those that are left cheaper; money that was held back makes none dearer. */
function keptOf(line: ShopLine, refunds: readonly ShopRefund[], currency: string): SoldLine | null {
  const own = refunds.flatMap(({ line_items }) => line_items.filter((one) => refundedOf(one) === line.id))
  const whole = costOf(line, currency)
  if (own.length === 0) return { line, quantity: line.quantity, cost: whole }
  const pieces = own.reduce((sum, { quantity }) => sum + Math.abs(quantity), 0)
  const quantity = line.quantity - pieces
  if (quantity <= 0) return null
  const [atPrice = whole] = allocateMoney(whole, [parseDecimal(quantity), parseDecimal(pieces)])
  // Amounts of refunds are below zero.
  const paid = own.map((one) => costOf(one, currency)).reduce(addMoney, whole)
  return { line, quantity, cost: notBelowZero(compareDecimals(paid.amount, atPrice.amount) < 0 ? paid : atPrice) }
}

/** The money of a refund that it names no line for. */
function ofNoLine({ amount, line_items, shipping_lines, fee_lines }: ShopRefund, currency: string): Money {
  const named = sumMoney(
    [...line_items, ...shipping_lines, ...fee_lines].map((one) => costOf(one, currency)),
    currency,
  )
  // What is named is below zero.
  return notBelowZero(addMoney(money(amount, currency), named))
}
