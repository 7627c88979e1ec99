import { z } from 'zod'
import { equalMoney, type Money, moneyText, parseDecimal, sumDecimals } from '../values/money.ts'
import type { Cause } from './gap.ts'

/** A destination's answer about one thing that it acknowledged. `amount` null: it does not say. */
export type Reconciled =
  | { is: 'there'; count: number; amount: Money | null }
  | { is: 'lacking'; why?: string }
  | { is: 'unknown'; why: string }

interface Difference {
  cause: Extract<Cause, 'not-there' | 'there-twice' | 'other-amount'>
  /** What it has, for people. */
  there: string
}

/** Null: none, or not known. `given` null: no (known) amount. Pure. */
export function differenceOf(given: Money | null, reconciled: Reconciled): Difference | null {
  if (reconciled.is === 'unknown') return null
  if (reconciled.is === 'lacking') return { cause: 'not-there', there: reconciled.why || 'nothing' }
  const { count, amount } = reconciled
  if (count === 0) return { cause: 'not-there', there: 'nothing' }
  if (count > 1) return { cause: 'there-twice', there: `${count} times` }
  if (given === null || amount === null || equalMoney(given, amount)) return null
  return { cause: 'other-amount', there: moneyText(amount) }
}

/** `498.00 NOK` */

const Sum = z.string().transform((text) => parseDecimal(text))

/** A day of a flow at a destination in one currency: what was given, and what is there. */
export type DayCount = z.output<typeof DayCount>

export const DayCount = z.object({
  day: z.string(),
  flow: z.string(),
  /** Null: without an amount. */
  currency: z.string().nullable(),
  given: z.number(),
  there: z.number(),
  unknown: z.number(),
  /** Sums of what both sides have an amount of. */
  givenSum: Sum,
  thereSum: Sum,
})

/** A day of a store in a list of the platform, and here. */
export type StoreCount = z.output<typeof StoreCount>

export const StoreCount = z.object({
  storeId: z.string().nullable(),
  listed: z.number(),
  listedSum: Sum,
  here: z.number(),
  hereSum: Sum,
})

interface Counted {
  day: string
  flow: string
  amount: Money | null
  reconciled: Reconciled
}

const ZERO = parseDecimal(0)

/** Counts and sums by day, flow and currency. */
export function createDayCounts() {
  const rows = new Map<string, DayCount>()
  return {
    add({ day, flow, amount, reconciled }: Counted): void {
      const currency = amount?.currency ?? null
      const key = JSON.stringify([day, flow, currency])
      const row = rows.get(key) ?? {
        ...{ day, flow, currency, given: 0, there: 0, unknown: 0 },
        ...{ givenSum: ZERO, thereSum: ZERO },
      }
      rows.set(key, row)
      row.given += 1
      if (reconciled.is === 'unknown') row.unknown += 1
      if (reconciled.is === 'there') row.there += reconciled.count
      const reported = reconciled.is === 'there' ? reconciled.amount : null
      if (amount === null || (reconciled.is === 'there' && reported === null) || reconciled.is === 'unknown') return
      row.givenSum = sumDecimals([row.givenSum, amount.amount])
      if (reported !== null && reported.currency === currency)
        row.thereSum = sumDecimals([row.thereSum, reported.amount])
    },
    /** Newest day first. */
    all: (): DayCount[] =>
      [...rows.values()].sort((a, b) => (a.day === b.day ? (a.flow < b.flow ? -1 : 1) : a.day < b.day ? 1 : -1)),
  }
}
