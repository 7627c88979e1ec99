import type { Instant } from '../values/instant.ts'
import type { Range } from './covered.ts'

/** Zones are off by quarters of an hour: what is narrower is answered from the right place, or from another one altogether. */
export const NARROW = 14 * 60_000

/**
 * Whether the log reads what it is asked by the clock that it writes its records by, from its answer to one narrow question; null:
 * the answer does not tell. Who knows it need not ask for half a day more on both sides. `answer`: when its records arose.
 */
export function isSameClock({ from, to }: Range, answer: readonly Instant[]): boolean | null {
  if (answer.length === 0 || to - from > NARROW) return null
  return answer.every((at) => at >= from - SLACK && at <= to + SLACK)
}

/** What is asked for is written in tenths of a second. */
const SLACK = 1_000

/** Whether an answer shows that the log reads what it is asked by another clock by now: clocks change twice a year. */
export function isOtherClock({ from, to }: Range, answer: readonly Instant[]): boolean {
  return answer.some((at) => at < from - MINUTE || at > to + MINUTE)
}

/** An answer that is rounded is no other clock. */
const MINUTE = 60_000
