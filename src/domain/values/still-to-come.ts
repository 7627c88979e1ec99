import type { Instant } from './instant.ts'

/** The clocks of hubs that share a store may differ by so much (milliseconds). */
export const SKEW = 60_000

/** Whether an instant that was noted is still to come: a clock that was ahead wrote it. */
export function isStillToCome(noted: Instant, now: Instant): boolean {
  return noted > latestOf(now)
}

/** The latest instant that is to be believed. */
export function latestOf(now: Instant): Instant {
  return now + SKEW
}

/** What was noted, where that is to be believed; null: it is still to come. */
export function over(noted: Instant | null, now: Instant): Instant | null {
  return noted === null || isStillToCome(noted, now) ? null : noted
}
