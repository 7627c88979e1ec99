import type { Instant } from '../values/instant.ts'
import type { Range } from './covered.ts'

const DAY = 24 * 3_600_000

/** The log is taken to reach back a week: spec, Events 2, "daily or weekly" (ms). */
export const RETENTION = 7 * DAY

/** Webhooks may be so late: scans stay that far behind now (ms). */
export const ALLOWED_LATENESS = 15 * 60_000

interface Reach {
  /** Begin of what is to be searched. */
  from: Instant
  now: Instant
  /** Whether the log still shows the newest record before `from`. */
  marker: { at: Instant; isShown: boolean } | null
}

/** True if the log reaches back to `from`. */
export function logReachesBack({ from, now, marker }: Reach): boolean {
  if (marker !== null && marker.at <= from)
    return marker.isShown || (now - from < RETENTION && now - marker.at > RETENTION)
  return now - from < RETENTION
}

/** True if the log must still show a record of that time. */
export function isStillKept(marker: Instant, now: Instant): boolean {
  return now - marker < RETENTION
}

/** How near the oldest unsearched time is to the end of the log: `near` at 80 %; `passed`: it proves nothing any more. */
export function nearness(from: Instant, now: Instant): 'far' | 'half' | 'near' | 'passed' {
  const share = (now - from) / RETENTION
  if (share >= 1) return 'passed'
  if (share >= 0.8) return 'near'
  return share >= 0.5 ? 'half' : 'far'
}

const MINUTE = 60_000

/** Narrower than the difference between two zones (ms). */
export const NARROW = 14 * MINUTE

/** Queries have tenths of a second (ms). */
const SLACK = 1_000

/** True if the log reads queries by the clock of its records; null: the answer to this query does not tell. */
export function isSameClock({ from, to }: Range, answer: readonly Instant[]): boolean | null {
  if (answer.length === 0 || to - from > NARROW) return null
  return answer.every((at) => at >= from - SLACK && at <= to + SLACK)
}

/** True if an answer is off by more than rounding: clocks change twice a year. */
export function isOtherClock({ from, to }: Range, answer: readonly Instant[]): boolean {
  return answer.some((at) => at < from - MINUTE || at > to + MINUTE)
}

/** How far ahead of the hub the log writes (ms), and when that was last seen. */
interface LogAhead {
  by: number
  at: Instant
}

const QUARTER = 15 * MINUTE
const APART = 5 * MINUTE
const HOLDS = 7 * 24 * 60 * MINUTE

/** Learns from a record; one in the future tells of a clock that is ahead. */
export function updateLogSkew(before: LogAhead | null, createdAt: Instant, now: Instant): LogAhead | null {
  const by = Math.max(0, Math.ceil((createdAt - now - APART) / QUARTER) * QUARTER)
  const known = before !== null && before.at <= now && now - before.at < HOLDS ? before : null
  return by > 0 && by >= (known?.by ?? 0) ? { by, at: now } : known
}
