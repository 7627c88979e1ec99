import { Big } from 'big.js'
import { PermanentError } from '../../../domain/values/errors.ts'
import {
  addMoney,
  allocateMoney,
  type Decimal,
  type Money,
  money,
  parseDecimal,
  roundMoney,
  subtractMoney,
  sumMoney,
  toNumber,
} from '../../../domain/values/money.ts'
import { isDiscount, notBelowZero } from '../intake/discount.ts'
import { costOf } from '../intake/order-line.ts'
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
  return partOfCost(line, pieces, refunds, currency, (whole) =>
    after > 0 ? shareOf(whole, [parseDecimal(before + pieces), parseDecimal(after)], line) : whole,
  )
}

/**
 * The first share, in what the shop counts in: one that shows no decimals says what is left without them, and refuses a refund of more
 * (`get_remaining_refund_amount` in class-wc-order.php, read 2026-11-26).
 */
function shareOf(whole: Money, [first, rest]: readonly [Decimal, Decimal], { total }: Pick<ShopCost, 'total'>): Money {
  const [share = whole] = allocateMoney(whole, [first, rest])
  const decimals = total.split('.')[1]?.length ?? 0
  return money(new Big(share.amount).round(decimals, Big.roundDown).toFixed(), whole.currency)
}

/** All that is left of a line, shipping or fee. */
export function restOf(line: ShopCost, pieces: number | null, refunds: readonly ShopRefund[], currency: string) {
  return partOfCost(line, pieces, refunds, currency, (whole) => whole)
}

/**
 * Parts, with their share of the fees below zero, which were off all goods together: so nobody gets back more for goods than was paid
 * for them. WooCommerce takes a refund of such a fee as it takes others (`wc_create_refund`).
 */
export function withDiscounts(
  order: ShopOrder,
  parts: readonly RefundPart[],
  refunds: readonly ShopRefund[],
): RefundPart[] {
  const { currency, line_items, fee_lines } = order
  const fees = fee_lines.filter(isDiscount)
  if (fees.length === 0) return [...parts]
  const goods = sumMoney(
    line_items.map((line) => costOf(line, currency)),
    currency,
  )
  const before = refunds.flatMap((refund) => refund.line_items.map((line) => costOf(line, currency)))
  const own = new Set(line_items.map(({ id }) => id))
  const now = amountOf(
    parts.filter(({ lineId }) => own.has(lineId)),
    currency,
  )
  // Amounts of refunds are below zero.
  const rest = notBelowZero(subtractMoney(before.reduce(addMoney, goods), now))
  const shares = [subtractMoney(goods, rest).amount, rest.amount] as const
  const discounts = fees.map((fee) =>
    partOfCost(fee, null, refunds, currency, (whole) => (goods.amount === '0' ? whole : shareOf(whole, shares, fee))),
  )
  return [...parts, ...discounts.filter(({ net }) => net.amount !== '0')]
}

/** The rest of an order besides its goods: shipping and fees. */
export function extrasLeft(order: ShopOrder, refunds: readonly ShopRefund[]): RefundPart[] {
  return [...order.shipping_lines, ...order.fee_lines.filter((fee) => !isDiscount(fee))]
    .map((line) => restOf(line, null, refunds, order.currency))
    .filter(({ net }) => net.amount !== '0')
}

function partOfCost(
  line: ShopCost,
  quantity: number | null,
  refunds: readonly ShopRefund[],
  currency: string,
  upTo: (whole: Money) => Money,
): RefundPart {
  const given = refunds
    .flatMap((refund): ShopCost[] => [...refund.line_items, ...refund.shipping_lines, ...refund.fee_lines])
    .filter((one) => refundedOf(one) === line.id)
  // Amounts of refunds are below zero, those of a discount above.
  const less = (due: Money, before: string[]) => {
    const left = sumMoney([due, ...before.map((amount) => roundMoney(money(amount, currency)))], currency)
    return isDiscount(line) ? negated(notBelowZero(negated(left))) : notBelowZero(left)
  }
  const taxes = taxesOf(line, currency)
  const costs = [money(line.total, currency), ...taxes.map(({ amount }) => amount)]
  // The last takes what does not divide, so that all are the share of the whole.
  const others = costs.slice(0, -1).map(upTo)
  const [net, ...taxed] = [...others, others.reduce(subtractMoney, upTo(sumMoney(costs, currency)))]
  const none = money(0, currency)
  return {
    lineId: line.id,
    quantity,
    net: less(
      net ?? none,
      given.map(({ total }) => total),
    ),
    taxes: taxes.map(({ id }, index) => ({
      id,
      amount: less(
        taxed[index] ?? none,
        given.flatMap((one) => one.taxes.flatMap((tax) => (tax.id === id ? [tax.total] : []))),
      ),
    })),
  }
}

/** The taxes of a line in coins. The last takes what the shop's own rounding makes of their sum. */
function taxesOf({ id, taxes, total_tax }: ShopCost, currency: string): { id: number; amount: Money }[] {
  const rounded = taxes.map((tax) => ({ id: tax.id, amount: roundMoney(money(tax.total, currency)) }))
  const last = rounded.at(-1)
  if (!last) {
    if (money(total_tax, currency).amount === '0') return []
    throw new PermanentError(
      `line ${id} of the order has ${total_tax} of tax, and its taxes cannot be read: by which rates to give it back is not known. Refund it in the shop, then skip this.`,
      { code: 'unreadable-order' },
    )
  }
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

function negated(value: Money): Money {
  return subtractMoney(money(0, value.currency), value)
}
