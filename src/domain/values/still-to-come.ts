import type { Instant } from './instant.ts'

/** Clock skew between hubs (ms). */
export const SKEW = 60_000

/** Beyond the skew: written by a clock that was ahead. */
export function isStillToCome(noted: Instant, now: Instant): boolean {
  return noted > latestOf(now)
}

export function latestOf(now: Instant): Instant {
  return now + SKEW
}

/** Null: in the future. */
export function over(noted: Instant | null, now: Instant): Instant | null {
  return noted === null || isStillToCome(noted, now) ? null : noted
}
