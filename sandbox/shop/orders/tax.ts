import { Big } from 'big.js'
import { rounded, roundedHalfDown, ZERO } from '../amount.ts'

/** One row of the shop's tax table. */
interface TaxRate {
  name: string
  /** `"25"` is 25 %. */
  percent: string
  /** ISO 3166, where it applies; everywhere if left out. A row of the order's own country goes first. */
  country?: string
  /** The shop's standard class if left out. */
  taxClass?: string
  /** Whether shipping is taxed by it too; true if left out. */
  shipping?: boolean
}

/** The shop's tax settings. One rate applies to a line at most; rates on top of rates are not modelled. */
export type Taxes =
  | 'off'
  | {
      /** Whether the prices of the products include tax. Lines of an order never do. */
      pricesIncludeTax: boolean
      /** Where the shop is: taxes an order that has no address. */
      country: string
      rates: TaxRate[]
    }

/** A rate that applies, with its number in the table, from 1. */
export interface AppliedRate extends TaxRate {
  id: number
}

export function ratesOf(taxes: Taxes): AppliedRate[] {
  return taxes === 'off' ? [] : taxes.rates.map((rate, index) => ({ ...rate, id: index + 1 }))
}

/** The rate for a class in a country, if the table has one. */
export function rateFor(taxes: Taxes, taxClass: string, country: string): AppliedRate | undefined {
  const fitting = ratesOf(taxes).filter((rate) => (rate.taxClass ?? '') === taxClass)
  return fitting.find((rate) => rate.country === country) ?? fitting.find((rate) => rate.country === undefined)
}

/** The tax on top of an amount, as exact as WooCommerce keeps it. */
export function taxOn(amount: Big, rate: AppliedRate): Big {
  return amount.times(rate.percent).div(100).round(6, Big.roundHalfUp)
}

/** A price without the tax of the shop's own country, if prices include tax. Not rounded. */
export function withoutTax(price: Big, taxClass: string, taxes: Taxes): Big {
  if (taxes === 'off' || !taxes.pricesIncludeTax) return price
  const rate = rateFor(taxes, taxClass, taxes.country)
  return rate ? price.div(new Big(rate.percent).div(100).plus(1)) : price
}

/** Rounds a tax as WooCommerce does: line by line, a half toward zero in a shop whose prices include tax. */
export function roundTax(tax: Big, taxes: Taxes): Big {
  if (tax.eq(ZERO)) return ZERO
  return taxes !== 'off' && taxes.pricesIncludeTax ? roundedHalfDown(tax) : rounded(tax)
}
