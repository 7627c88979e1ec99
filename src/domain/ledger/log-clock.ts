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

/** How far ahead of the hub's clock the log writes (milliseconds), and when that was last seen: by the shop's own clock, say, in place of UTC. */
interface LogAhead {
  by: number
  at: Instant
}

/** Zones are off by quarters of an hour, and clocks that are right by less than this. */
const QUARTER = 15 * 60_000
const APART = 5 * 60_000

/** So long a log is taken to be as far ahead as it was seen to be. */
const HOLDS = 7 * 24 * 3_600_000

/** What is known of that after a record of the log: one that is still to come tells of a clock that is ahead. */
export function learnAhead(before: LogAhead | null, createdAt: Instant, now: Instant): LogAhead | null {
  const by = Math.max(0, Math.ceil((createdAt - now - APART) / QUARTER) * QUARTER)
  const known = before !== null && before.at <= now && now - before.at < HOLDS ? before : null
  return by > 0 && by >= (known?.by ?? 0) ? { by, at: now } : known
}
