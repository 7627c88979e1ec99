import { articleKey } from '../../domain/catalogue/article-number.ts'
import { type Decimal, parseDecimal, sumDecimals } from '../../domain/values/money.ts'

interface Line {
  gtin: string | null
  quantity: string | null
}

/** Pieces of each article, by GTIN, however they are split into lines; what has none is under empty text. */
export function quantities(lines: readonly Line[]): Map<string, Decimal> {
  const sums = new Map<string, Decimal>()
  for (const { gtin, quantity } of lines) {
    const key = articleKey(gtin ?? '')
    sums.set(key, sumDecimals([sums.get(key) ?? parseDecimal(0), parseDecimal(quantity ?? 0)]))
  }
  return sums
}
