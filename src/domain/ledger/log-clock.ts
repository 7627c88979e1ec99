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

/**
 * How far ahead of the hub's clock the log writes (milliseconds), and when that was seen. No document shows in which zone it writes: by the
 * shop's own clock, say, which is an hour or two ahead of UTC.
 */
interface LogAhead {
  by: number
  at: Instant
}

/** Zones are off by quarters of an hour. */
const QUARTER = 15 * 60_000

/** Clocks that are right may differ by so much. */
const APART = 5 * 60_000

/** So long it is taken to be as far ahead as it was: when clocks go back, what was written before that is still to be looked at. */
const HOLDS = 6 * 3_600_000

/** What is known after webhooks that were sent once and came so late after they arose, by the log; below 0: before. */
export function learnAhead(before: LogAhead | null, latenesses: readonly number[], now: Instant): LogAhead | null {
  if (latenesses.length === 0) return before
  const ahead = Math.max(...latenesses.map((lateness) => -lateness))
  const by = Math.max(0, Math.ceil((ahead - APART) / QUARTER) * QUARTER)
  const isStill = before !== null && before.by > by && before.at <= now && now - before.at < HOLDS
  return isStill ? before : { by, at: now }
}
