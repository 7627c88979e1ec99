import {
  compareDecimals,
  money,
  multiplyDecimals,
  parseDecimal,
  subtractDecimals,
  sumDecimals,
} from '../../../domain/values/money.ts'
import { piecesOf } from '../../shared/pieces.ts'
import type { WooCommerceOptions } from '../options.ts'
import type { ShopRefund } from '../people/shop-order.ts'
import { creditOf } from './credit.ts'
import { buyerOf } from './customer.ts'
import type { WholeOrder } from './order.ts'
import { gtinOf } from './order-line.ts'
import { soldLines } from './sold-lines.ts'

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
