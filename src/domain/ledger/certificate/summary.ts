import { hash } from 'node:crypto'
import { type Decimal, sumDecimals } from '../../values/money.ts'
import type { CertifiedRow, CertifiedSet, SetSummary } from './certificate.ts'

/** Sums up the rows of a set. Amounts are decimal text; a row without one counts, and adds nothing. */
export function summaryOf(set: CertifiedSet, rows: readonly CertifiedRow[]): SetSummary {
  const byCurrency = Map.groupBy(
    rows.filter(([, amount]) => amount !== null),
    ([, , currency]) => currency,
  )
  const sums = [...byCurrency].map(([currency, some]) => ({
    currency,
    sum: sumDecimals(some.map(([, amount]) => amount as Decimal)),
  }))
  const identities = rows.map(([identity]) => identity).sort()
  return {
    set,
    count: rows.length,
    sums: sums.sort((a, b) => ((a.currency ?? '') < (b.currency ?? '') ? -1 : 1)),
    hash: hash('sha256', identities.map((one) => `${one}\n`).join('')),
  }
}
