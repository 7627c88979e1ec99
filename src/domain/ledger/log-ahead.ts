import type { Instant } from '../values/instant.ts'

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
const SLACK = 5 * 60_000

/** So long it is taken to be as far ahead as it was: when clocks go back, what was written before that is still to be looked at. */
const HOLDS = 6 * 3_600_000

/** What is known after webhooks that were sent once and came so late after they arose, by the log; below 0: before. */
export function learnAhead(before: LogAhead | null, latenesses: readonly number[], now: Instant): LogAhead | null {
  if (latenesses.length === 0) return before
  const ahead = Math.max(...latenesses.map((lateness) => -lateness))
  const by = Math.max(0, Math.ceil((ahead - SLACK) / QUARTER) * QUARTER)
  const isStill = before !== null && before.by > by && before.at <= now && now - before.at < HOLDS
  return isStill ? before : { by, at: now }
}
