import { Big } from 'big.js'

export const ZERO = new Big(0)

/** An amount as WooCommerce reads text: what is no number counts as nothing. */
export function readAmount(text: string): Big {
  const trimmed = text.trim()
  return /^-?(\d+(\.\d*)?|\.\d+)$/.test(trimmed) ? new Big(trimmed) : ZERO
}

/** Rounded to the shop's two decimals, a half away from zero. */
export function rounded(amount: Big): Big {
  return amount.round(2, Big.roundHalfUp)
}

/** Rounded to two decimals, a half toward zero: how WooCommerce rounds taxes where prices include them. */
export function roundedHalfDown(amount: Big): Big {
  const up = rounded(amount)
  return up.minus(amount).abs().eq('0.005') ? amount.round(2, Big.roundDown) : up
}

export function sum(amounts: Iterable<Big>): Big {
  let total = ZERO
  for (const amount of amounts) total = total.plus(amount)
  return total
}

/** With the shop's two decimals: `"10.00"`. */
export function amountText(amount: Big): string {
  return rounded(amount).toFixed(2)
}
