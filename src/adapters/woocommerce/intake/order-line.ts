import type { Money } from '../../../domain/values/money.ts'
import { addMoney, money, roundMoney } from '../../../domain/values/money.ts'
import type { ShopLine } from '../people/shop-order.ts'

/** The cost of a line with tax, in coins. */
export function costOf({ total, total_tax }: Pick<ShopLine, 'total' | 'total_tax'>, currency: string): Money {
  return roundMoney(addMoney(money(total, currency), money(total_tax, currency)))
}

/** The shop's name for an article of a line: its GTIN, else its SKU, which in many a shop is the GTIN. */
export function gtinOf({ global_unique_id: gtin, sku }: Pick<ShopLine, 'global_unique_id' | 'sku'>): string {
  return gtin?.trim() || sku?.trim() || ''
}
