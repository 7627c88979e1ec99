import { Big } from 'big.js'
import type { SaleLine } from '../../domain/books/sale.ts'
import { type Money, money, roundMoney, subtractMoney } from '../../domain/values/money.ts'

/** More decimals than coins: WooCommerce computes tax from the amount as it is, then rounds both. */
const DECIMALS = 6

/**
 * A line without VAT, as text: what WooCommerce wants where it adds its own tax. By the rate where that gives the VAT of
 * the till, because then the shop comes to the same coins; else by the VAT itself; with neither, the whole line.
 */
export function withoutVat({ total, vat, vatRate }: Pick<SaleLine, 'total' | 'vat' | 'vatRate'>): string {
  if (vatRate !== null) {
    const net = share(total, new Big(1), new Big(1).plus(vatRate))
    const rest = roundMoney(subtractMoney(total, money(net, total.currency)))
    if (vat === null || rest.amount === roundMoney(vat).amount) return net
  }
  return vat === null ? total.amount : subtractMoney(total, vat).amount
}

/** The part of an amount with tax that is without, in a shop that makes `net` plus `tax` of a line. */
export function atShopRate(gross: Money, net: string, tax: string): string {
  const whole = new Big(net).plus(tax)
  return whole.eq(0) || new Big(tax).eq(0) ? gross.amount : share(gross, new Big(net), whole)
}

function share({ amount }: Money, part: Big, whole: Big): string {
  return whole.eq(0) ? amount : new Big(amount).times(part).div(whole).round(DECIMALS, Big.roundHalfUp).toFixed()
}
