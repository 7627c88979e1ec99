import type { Sale } from '../books/sale.ts'
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
  /** The contradiction in a sale whose amounts do not add up, in words for whoever must look; null: they do. */
  contradiction: string | null
}

/** The part of an endless aisle sale that the online store ships: the lines that say so, or all where none does. */
export function tillOrder(sale: Sale): TillOrder {
  const flagged = sale.lines.filter((line) => line.shipFromOnlineStore)
  const lines = flagged.length > 0 ? flagged : sale.lines
  const { receiptNo, orderNo, createdAt, payments, store, customer, customerId } = sale
  const { shippingAddress, shipping, fulfillment } = sale
  return {
    number: orderNo ?? receiptNo,
    orderNo,
    receiptNo,
    transactionId: payments.find(({ transaction }) => transaction !== null)?.transaction ?? null,
    createdAt,
    total: sumMoney(
      lines.map((line) => line.total),
      sale.total.currency,
    ),
    lines,
    payments,
    store,
    customer,
    customerId,
    shippingAddress,
    shipping,
    fulfillment,
    contradiction: contradictionOf(sale),
  }
}

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
