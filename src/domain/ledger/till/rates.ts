import { type Decimal, multiplyDecimals, parseDecimal, sumDecimals } from '../../values/money.ts'
import type { Meanings } from './meanings.ts'
import { type Difference, difference, type NamedSums, NOTHING } from './named-sum.ts'

/** Sales at one rate, as the fiscal report has them. */
export interface ReportedRate {
  /** A fraction: 0.25 is 25 %. */
  rate: Decimal
  /** With VAT, or before it. */
  sales: Decimal
  vat: Decimal
}

const HUNDRED = parseDecimal(100)

/** The name of a rate among sums. */
export function rateName(rate: Decimal): string {
  return `VAT ${multiplyDecimals(rate, HUNDRED)} %`
}

/** Rates at which the till sold for another sum than the receipts here. `here`: with VAT, by name. */
export function rateDifferences(
  reported: readonly ReportedRate[],
  here: NamedSums,
  meaning: Meanings['rates'],
): Difference[] {
  const byName = Map.groupBy(reported, ({ rate }) => rateName(rate))
  const names = [...new Set([...byName.keys(), ...Object.keys(here)])]
  return names.flatMap((name) => {
    const rows = byName.get(name) ?? []
    const sales = sumDecimals(rows.map((row) => row.sales))
    const beforeVat = sumDecimals([sales, ...rows.map(({ vat }) => vat)])
    const received = here[name] ?? NOTHING
    if (meaning === 'none' || (meaning === 'either' && sales === received)) return []
    return difference(name, meaning === 'with-vat' ? sales : beforeVat, received)
  })
}
