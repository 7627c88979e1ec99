import { amountText, type Decimal } from '../../domain/values/money.ts'
import { grouped } from '../shared/progress.ts'
import { rateOf } from './progress.ts'
import type { Report } from './run.ts'

/** The report for people. `file`: null: standard output. */
export function reportText({ what, items, rows, bytes, ms, revenue }: Report, file: string | null): string {
  const counted = rows === items ? `${grouped(items)} ${what}` : `${grouped(items)} ${what} in ${grouped(rows)} rows`
  const size = `${(bytes / 1e6).toFixed(1)} MB, ${(ms / 1_000).toFixed(1)} s, ${grouped(rateOf(items, ms))}/s`
  return [`Exported ${counted}${file === null ? '' : ` to ${file}`} (${size}).`, ...revenueText(what, revenue)].join(
    '\n',
  )
}

function revenueText(what: string, revenue: Record<string, Decimal> | null): string[] {
  if (revenue === null) return []
  return Object.entries(revenue).map(
    ([currency, amount]) =>
      `${what === 'settlements' ? 'Grand total' : 'Revenue'} in ${currency}: ${amountText({ amount, currency })}`,
  )
}
