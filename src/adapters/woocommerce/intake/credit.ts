import { Big } from 'big.js'
import { compareDecimals, type Money, money, subtractMoney, sumMoney } from '../../../domain/values/money.ts'
import type { ShopOrder } from '../people/shop-order.ts'
import { costOf } from './order-line.ts'

type Totalled = Pick<ShopOrder, 'line_items' | 'shipping_lines' | 'fee_lines' | 'total' | 'currency'>

/**
 * The money that an order's total is below what its lines, shipping and fees cost: a plugin took a gift card or store credit off the
 * total and gave it no line. Null: there is none beyond what the shop's rounding of each amount makes.
 */
export function creditOf({ line_items, shipping_lines, fee_lines, total, currency }: Totalled): Money | null {
  const costs = [...line_items, ...shipping_lines, ...fee_lines].map((line) => costOf(line, currency))
  const credit = subtractMoney(sumMoney(costs, currency), money(total, currency))
  const coin = new Big(10).pow(-(total.split('.')[1]?.length ?? 0))
  // A line and its tax are rounded each.
  const rounding = money(coin.times(2 * costs.length).toFixed(), currency)
  return compareDecimals(credit.amount, rounding.amount) > 0 ? credit : null
}
