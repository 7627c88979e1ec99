import { articleKey } from '../../domain/catalogue/article-number.ts'
import { type Decimal, parseDecimal, sumDecimals } from '../../domain/values/money.ts'

interface Line {
  gtin: string | null
  quantity: string | null
}

/** Pieces of an article, by its number as the first line of it writes it. */
interface Pieces {
  gtin: string
  quantity: Decimal
}

/** Pieces of each article, by `articleKey`, however they are split into lines; what has no number is under empty text. */
export function quantities(lines: readonly Line[]): Map<string, Pieces> {
  const sums = new Map<string, Pieces>()
  for (const { gtin, quantity } of lines) {
    const key = articleKey(gtin ?? '')
    const before = sums.get(key) ?? { gtin: gtin ?? '', quantity: parseDecimal(0) }
    sums.set(key, { ...before, quantity: sumDecimals([before.quantity, parseDecimal(quantity ?? 0)]) })
  }
  return sums
}
