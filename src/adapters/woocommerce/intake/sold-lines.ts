import {
  addMoney,
  allocateMoney,
  compareDecimals,
  type Money,
  money,
  parseDecimal,
  sumMoney,
} from '../../../domain/values/money.ts'
import { refundedOf, type ShopLine, type ShopRefund } from '../people/shop-order.ts'
import { afterDiscount, discountOf, notBelowZero } from './discount.ts'
import type { WholeOrder } from './order.ts'
import { costOf } from './order-line.ts'

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
export function soldLines(order: WholeOrder, refunds: readonly ShopRefund[]): SoldLine[] {
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
