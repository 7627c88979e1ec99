import { toInstant } from '../../values/store-time.ts'
import type { TillReceipt } from './receipt.ts'
import type { TillReport } from './report.ts'

/** Where receipts are known by their numbers, times may be off by so much: clocks that go back, a till whose clock is wrong. */
const SLACK = 3 * 3_600_000

/**
 * Whether a receipt is one of those that a report counts: by its number where the report has numbers, else by its time, first and
 * last sale included. A report of neither counts none.
 */
export function counts(report: Pick<TillReport, 'from' | 'to' | 'numbers'>, { no, at }: TillReceipt): boolean {
  const { from, to, numbers } = report
  if (numbers !== null && no !== null) {
    if (no < numbers.from || no > numbers.to) return false
    // Numbers may begin again with another till of the same name.
    return from === null || to === null || (msOf(at) >= msOf(from) - SLACK && msOf(at) <= msOf(to) + SLACK)
  }
  return from !== null && to !== null && at >= from && at <= to
}

/** Whether a wall clock shows this time twice, when clocks go back. */
export function isFolded(wallClock: string, zone: string | null): boolean {
  if (zone === null) return false
  return toInstant(wallClock, zone, { fold: 'earlier' }) !== toInstant(wallClock, zone, { fold: 'later' })
}

function msOf(wallClock: string): number {
  return Date.parse(`${wallClock}Z`)
}
