import {
  addMoney,
  allocateMoney,
  compareDecimals,
  type Money,
  money,
  parseDecimal,
  subtractMoney,
  sumMoney,
} from '../../../domain/values/money.ts'
import { refundedOf, type ShopCost, type ShopOrder, type ShopRefund } from '../people/shop-order.ts'
import { costOf } from './order-line.ts'

const ZERO = parseDecimal(0)

/** Whether a fee is a discount: plugins and people take something off an order with a fee below zero. */
export function isDiscount({ total }: Pick<ShopCost, 'total'>): boolean {
  return compareDecimals(parseDecimal(total), ZERO) < 0
}

/** The money that fees below zero take off the order, as an amount above zero. `refunds` have taken back some of it. */
export function discountOf(
  { fee_lines, currency }: Pick<ShopOrder, 'fee_lines' | 'currency'>,
  refunds: readonly Pick<ShopRefund, 'fee_lines'>[] = [],
): Money {
  const fees = fee_lines.filter(isDiscount)
  const ids = new Set(fees.map(({ id }) => id))
  const back = refunds.flatMap((one) => one.fee_lines.filter((fee) => ids.has(refundedOf(fee) ?? 0)))
  const total = sumMoney(
    [...fees, ...back].map((fee) => costOf(fee, currency)),
    currency,
  )
  return notBelowZero(subtractMoney(money(0, currency), total))
}

/** Costs less a discount of all of them together, in proportion, and none below zero. */
export function afterDiscount(costs: readonly Money[], discount: Money): Money[] {
  if (discount.amount === ZERO) return [...costs]
  const whole = costs.reduce(addMoney, money(0, discount.currency))
  return allocateMoney(
    notBelowZero(subtractMoney(whole, discount)),
    costs.map(({ amount }) => amount),
  )
}

export function notBelowZero(value: Money): Money {
  return compareDecimals(value.amount, ZERO) < 0 ? money(0, value.currency) : value
}
