import type { Instant } from '../values/instant.ts'

const DAY = 24 * 3_600_000

/** The log is taken to reach back a week: spec, Events 2, "daily or weekly" (ms). */
export const RETENTION = 7 * DAY

/** Webhooks may be so late: sweeps stay that far behind now (ms). */
export const ALLOWED_LATENESS = 15 * 60_000

interface Reach {
  /** Begin of what is to be searched. */
  from: Instant
  now: Instant
  /** Whether the log still shows the newest record before `from`. */
  marker: { at: Instant; isShown: boolean } | null
}

/** True if the log reaches back to `from`. */
export function reaches({ from, now, marker }: Reach): boolean {
  if (marker !== null && marker.at <= from)
    return marker.isShown || (now - from < RETENTION && now - marker.at > RETENTION)
  return now - from < RETENTION
}

/** True if the log must still show the newest record of what was searched until an instant. */
export function isStillKept(marker: Instant, until: Instant, now: Instant): boolean {
  return until - marker < DAY && now - marker < RETENTION
}

/** How near the oldest unsearched time is to the end of the log: `near` at 80 %; `passed`: it proves nothing any more. */
export function nearness(from: Instant, now: Instant): 'far' | 'half' | 'near' | 'passed' {
  const share = (now - from) / RETENTION
  if (share >= 1) return 'passed'
  if (share >= 0.8) return 'near'
  return share >= 0.5 ? 'half' : 'far'
}
