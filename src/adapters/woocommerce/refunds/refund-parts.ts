import {
  addMoney,
  allocateMoney,
  compareDecimals,
  type Money,
  money,
  parseDecimal,
  roundMoney,
  subtractMoney,
  sumMoney,
  toNumber,
} from '../../../domain/values/money.ts'
import { piecesLeft } from '../orders/pieces.ts'
import { refundedOf, type ShopCost, type ShopLine, type ShopOrder, type ShopRefund } from '../people/shop-order.ts'

/** A part of a line, to give back. */
export interface RefundPart {
  lineId: number
  /** Pieces; null for what has none: shipping, fees. */
  quantity: number | null
  net: Money
  taxes: { id: number; amount: Money }[]
}

/**
 * The cost of pieces of a line, with its taxes. Computed from what all pieces so far cost, less what was given back before:
 * so the parts of a line add up to it exactly, and the last takes the coins that do not divide.
 */
export function partOf(line: ShopLine, pieces: number, refunds: readonly ShopRefund[], currency: string): RefundPart {
  const before = line.quantity - piecesLeft(line, refunds)
  const after = line.quantity - before - pieces
  return costOf(line, pieces, refunds, currency, (whole) => {
    const [share] = allocateMoney(whole, [parseDecimal(before + pieces), parseDecimal(after)])
    return after > 0 && share ? share : whole
  })
}

/** All that is left of a line, shipping or fee. */
export function restOf(line: ShopCost, pieces: number | null, refunds: readonly ShopRefund[], currency: string) {
  return costOf(line, pieces, refunds, currency, (whole) => whole)
}

/** The rest of an order besides its goods: shipping and fees. */
export function extrasLeft(order: ShopOrder, refunds: readonly ShopRefund[]): RefundPart[] {
  return [...order.shipping_lines, ...order.fee_lines]
    .map((line) => restOf(line, null, refunds, order.currency))
    .filter(({ net }) => net.amount !== '0')
}

function costOf(
  line: ShopCost,
  quantity: number | null,
  refunds: readonly ShopRefund[],
  currency: string,
  upTo: (whole: Money) => Money,
): RefundPart {
  const given = refunds
    .flatMap((refund): ShopCost[] => [...refund.line_items, ...refund.shipping_lines, ...refund.fee_lines])
    .filter((one) => refundedOf(one) === line.id)
  // Amounts of refunds are below zero.
  const less = (whole: Money, before: string[]) =>
    notBelowZero(sumMoney([upTo(whole), ...before.map((amount) => roundMoney(money(amount, currency)))], currency))
  return {
    lineId: line.id,
    quantity,
    net: less(
      money(line.total, currency),
      given.map(({ total }) => total),
    ),
    taxes: taxesOf(line, currency).map(({ id, amount }) => ({
      id,
      amount: less(
        amount,
        given.flatMap(({ taxes }) => taxes.flatMap((tax) => (tax.id === id ? [tax.total] : []))),
      ),
    })),
  }
}

/** The taxes of a line in coins. The last takes what the shop's own rounding makes of their sum. */
function taxesOf({ taxes, total_tax }: ShopCost, currency: string): { id: number; amount: Money }[] {
  const rounded = taxes.map(({ id, total }) => ({ id, amount: roundMoney(money(total, currency)) }))
  const last = rounded.at(-1)
  if (!last) return []
  const others = rounded.slice(0, -1)
  const sum = sumMoney(
    others.map(({ amount }) => amount),
    currency,
  )
  return [...others, { id: last.id, amount: subtractMoney(money(total_tax, currency), sum) }]
}

/** The cost of parts together, with tax. */
export function amountOf(parts: readonly RefundPart[], currency: string): Money {
  return parts
    .flatMap(({ net, taxes }) => [net, ...taxes.map(({ amount }) => amount)])
    .reduce(addMoney, money(0, currency))
}

/** The money of the order that is left to give back, whatever it is for. */
export function leftOf({ total, currency }: ShopOrder, refunds: readonly ShopRefund[]): Money {
  const given = sumMoney(
    refunds.map(({ amount }) => money(amount, currency)),
    currency,
  )
  return notBelowZero(subtractMoney(money(total, currency), given))
}

/** A part as `POST /orders/{id}/refunds` takes it. */
export function wirePart({ lineId, quantity, net, taxes }: RefundPart): object {
  return {
    id: lineId,
    ...(quantity !== null && { quantity }),
    refund_total: toNumber(net.amount),
    refund_tax: taxes.map(({ id, amount }) => ({ id, refund_total: toNumber(amount.amount) })),
  }
}

function notBelowZero(value: Money): Money {
  return compareDecimals(value.amount, parseDecimal(0)) < 0 ? money(0, value.currency) : value
}
