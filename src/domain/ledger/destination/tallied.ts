import { amountText, type Decimal, equalMoney, type Money, parseDecimal, sumDecimals } from '../../values/money.ts'
import type { Cause } from '../causes.ts'

/**
 * The answer of a destination about one thing that it has acknowledged. `there`: so many times; `amount` null: it does not say. `lacking`:
 * it was asked, and has none. `unknown`: nobody can tell by it, and nothing is claimed.
 */
export type Tallied =
  | { is: 'there'; count: number; amount: Money | null }
  | { is: 'lacking'; why?: string }
  | { is: 'unknown'; why: string }

/** What a destination has differs from what it was given. `there`: what it has, for people. */
export interface Difference {
  cause: Extract<Cause, 'not-there' | 'there-twice' | 'other-amount'>
  there: string
}

/**
 * The difference between what a destination was given and what it has; null: there is none, or nobody can tell. `given` null: it has no
 * amount, or that is not known any more. Pure.
 */
export function differenceOf(given: Money | null, tallied: Tallied): Difference | null {
  if (tallied.is === 'unknown') return null
  if (tallied.is === 'lacking' || tallied.count === 0)
    return { cause: 'not-there', there: (tallied.is === 'lacking' && tallied.why) || 'nothing' }
  if (tallied.count > 1) return { cause: 'there-twice', there: `${tallied.count} times` }
  const { amount } = tallied
  if (given === null || amount === null || equalMoney(given, amount)) return null
  return { cause: 'other-amount', there: shown(amount) }
}

/** An amount for people: `498.00 NOK`. */
export function shown(amount: Money): string {
  return `${amountText(amount)} ${amount.currency}`
}

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
