import type { Instant } from '../../values/instant.ts'
import { type Decimal, parseDecimal, subtractDecimals, sumDecimals } from '../../values/money.ts'
import { endsUnclear, type Group, joined } from './groups.ts'
import { counts, type TillReceipt, type TillReport } from './report.ts'

/** Something that the till has otherwise than what is here. */
export interface Difference {
  what: 'receipts' | 'total'
  till: Decimal
  here: Decimal
}

/**
 * `waits`: more may come before anything can be said · `begins`: the first that is known of a till, of which not all is here: the
 * proof begins behind it · `balanced` · `differs`.
 */
export type Judgement = { is: 'waits' | 'begins' | 'balanced' } | { is: 'differs'; differences: Difference[] }

/** A settlement that names no payments is asked for: so long is waited for that before it is judged by what it names (milliseconds). */
const WHOLE_AFTER = 40 * 3_600_000

interface Asked {
  /** Receipts of the till, of the days of the group at least. */
  receipts: readonly TillReceipt[]
  zone: string | null
  now: Instant
  /** How long after a till was closed the last of its receipts may come (milliseconds). */
  patience: number
  /** No report of the till is known from before. */
  isFirst: boolean
}

/** Holds the receipts that are here against what a till has counted: how many they are, and their total. */
export function judge(group: Group, { receipts, zone, now, patience, isFirst }: Asked): Judgement {
  const report = joined(group)
  const age = now - report.closedAt
  if ((!report.isWhole || endsUnclear(group, zone)) && age < WHOLE_AFTER) return { is: 'waits' }
  if (report.receipts === null && report.sold === null) return { is: isFirst ? 'begins' : 'waits' }
  const here = receipts.filter((receipt) => counts(report, receipt))
  const found = differences(report, here)
  if (found.length === 0) return { is: 'balanced' }
  if (isFirst) return { is: 'begins' }
  return age < patience ? { is: 'waits' } : { is: 'differs', differences: found }
}

/** What a till does not say is not compared. */
export function differences({ receipts, sold }: Pick<TillReport, 'receipts' | 'sold'>, here: readonly TillReceipt[]) {
  const sides = [
    ['receipts', receipts === null ? null : parseDecimal(receipts), parseDecimal(here.length)],
    ['total', sold, sumDecimals(here.map(({ total }) => total))],
  ] as const
  return sides.flatMap(([what, till, ours]): Difference[] =>
    till === null || till === ours ? [] : [{ what, till, here: ours }],
  )
}

/** What is remembered of a report for the one behind it. */
export type Link = Pick<TillReport, 'settlementId' | 'place' | 'number' | 'counter' | 'closedAt'>

/** Something wrong between a report and the one before it. */
export type Break =
  /** `sold`: what the reports that lack have sold by the counter; null: it does not tell. */
  | { cause: 'z-missing'; from: number; to: number; sold: Decimal | null }
  | { cause: 'z-again'; number: number }
  /** The reports are not numbered, and the counter grew by so much more than was sold; below 0: by less. */
  | { cause: 'sum-jumped'; difference: Decimal }

const NOTHING: Decimal = parseDecimal(0)

/** What is wrong with a report after the one before it (null: it is the first that is known): its number is to be the next one. */
export function breakBetween(previous: Link | null, report: TillReport): Break | null {
  if (previous === null) return null
  const jump = jumpOf(previous, report)
  const { number, counter, sold } = report
  if (number === null || previous.number === null) {
    const beginsAnew = counter !== null && counter === sold
    return jump === null || jump === NOTHING || beginsAnew ? null : { cause: 'sum-jumped', difference: jump }
  }
  if (number > previous.number + 1) return { cause: 'z-missing', from: previous.number + 1, to: number - 1, sold: jump }
  // Another till, or one whose memory was renewed.
  if (number === 1 || number === previous.number + 1) return null
  return { cause: 'z-again', number }
}

/** By how much more the counter grew than the report sold; null: it does not tell. */
function jumpOf(previous: Link, { counter, sold }: TillReport): Decimal | null {
  if (previous.counter === null || counter === null || sold === null) return null
  return subtractDecimals(subtractDecimals(counter, previous.counter), sold)
}
