import { type Decimal, type Money, parseDecimal, sumDecimals } from '../../values/money.ts'
import type { Tallied } from './tallied.ts'

/** One day of one flow at a destination, in one currency: what it was given, and what it has. */
export interface DayCount {
  day: string
  flow: string
  /** Null: without an amount. */
  currency: string | null
  given: number
  there: number
  /** Records of which nobody can tell. */
  unknown: number
  /** Sums of what both sides have an amount of, as decimal text. */
  givenSum: Decimal
  thereSum: Decimal
}

/** One thing that was asked for, and the answer. */
export interface Counted {
  day: string
  flow: string
  amount: Money | null
  tallied: Tallied
}

const ZERO = parseDecimal(0)

/** Counts and sums by day, flow and currency. Its size goes by days and flows, not by what is counted. */
export function createDayCounts() {
  const rows = new Map<string, DayCount>()

  return {
    add({ day, flow, amount, tallied }: Counted): void {
      const currency = amount?.currency ?? null
      const key = JSON.stringify([day, flow, currency])
      const row = rows.get(key) ?? {
        ...{ day, flow, currency, given: 0, there: 0, unknown: 0 },
        ...{ givenSum: ZERO, thereSum: ZERO },
      }
      rows.set(key, row)
      row.given += 1
      if (tallied.is === 'unknown') row.unknown += 1
      if (tallied.is === 'there') row.there += tallied.count
      const told = tallied.is === 'there' ? tallied.amount : null
      if (amount === null || (tallied.is === 'there' && told === null) || tallied.is === 'unknown') return
      row.givenSum = sumDecimals([row.givenSum, amount.amount])
      if (told !== null && told.currency === currency) row.thereSum = sumDecimals([row.thereSum, told.amount])
    },
    /** By day, newest first. */
    all: (): DayCount[] =>
      [...rows.values()].sort((a, b) => (a.day === b.day ? (a.flow < b.flow ? -1 : 1) : a.day < b.day ? 1 : -1)),
  }
}
