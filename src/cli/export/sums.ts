import { type Decimal, sumDecimals } from '../../domain/values/money.ts'

/** The amount of an item that is its revenue. */
const AMOUNTS: Readonly<Record<string, string>> = { 'sales-lines': 'revenue', settlements: 'grandTotal' }

/** Exact sums of each currency; currencies are never added up. */
export interface Sums {
  add(item: Readonly<Record<string, unknown>>): void
  /** By currency, in the order of their names. */
  totals(): Record<string, Decimal>
}

/** The revenue of a set; null: it has none, or its items say it twice. */
export function sumsOf(what: string): Sums | null {
  const name = AMOUNTS[what]
  if (name === undefined) return null
  const byCurrency = new Map<string, Decimal[]>()
  return {
    add({ [name]: amount, currency }) {
      if (typeof amount !== 'string' || typeof currency !== 'string') return
      const amounts = byCurrency.get(currency) ?? []
      amounts.push(amount as Decimal)
      if (amounts.length >= AMOUNTS_PER_SUM) amounts.splice(0, amounts.length, sumDecimals(amounts))
      byCurrency.set(currency, amounts)
    },
    totals: () =>
      Object.fromEntries([...byCurrency].sort().map(([currency, amounts]) => [currency, sumDecimals(amounts)])),
  }
}

/** The most amounts that are kept before they are added up. */
const AMOUNTS_PER_SUM = 1_000
