import type { Instant } from '../values/instant.ts'

const DAY = 24 * 3_600_000

/** Spec, Events 2: missed events are looked for "daily or weekly", so that the log is taken to reach back a week. */
export const RETENTION = 7 * DAY

/** How late a webhook may be: so far behind now is the bound up to which a sweep looks (milliseconds). */
export const ALLOWED_LATENESS = 15 * 60_000

/** What is known of how far a subscription's log reaches back, before it is swept. */
export interface Reach {
  /** Everything from here on is to be looked through. */
  from: Instant
  now: Instant
  /** The log was asked for the newest record of before `from`, and shows it or not; null: there is none to ask for. */
  marker: { at: Instant; isShown: boolean } | null
}

/** Whether the log reaches back to where a sweep begins. */
export function reaches({ from, now, marker }: Reach): boolean {
  if (marker !== null && marker.at <= from)
    return marker.isShown || (now - from < RETENTION && now - marker.at > RETENTION)
  return now - from < RETENTION
}

/**
 * Whether the log is to show the newest record of what was looked through up to an instant, whatever else it shows: it is known to keep a
 * record for a day, and is taken to keep it for a week.
 */
export function isStillKept(marker: Instant, until: Instant, now: Instant): boolean {
  return until - marker < DAY && now - marker < RETENTION
}

/** How near the oldest time that nobody has looked through is to where the log ends. */
export type Nearness = 'far' | 'half' | 'near' | 'passed'

/** `half`: somebody is told. `near`, at 80 %: somebody is woken. `passed`: the log cannot prove it any more. */
export function nearness(from: Instant, now: Instant): Nearness {
  const share = (now - from) / RETENTION
  if (share >= 1) return 'passed'
  if (share >= 0.8) return 'near'
  return share >= 0.5 ? 'half' : 'far'
}
