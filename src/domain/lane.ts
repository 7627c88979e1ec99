import type { Instant } from './instant.ts'
import { probeDelay } from './retry.ts'

/** How soon a delivery is wanted: a customer waits, or nobody does. Each has its own lane to a destination. */
export type Urgency = 'prompt' | 'bulk'

/** The queue of one destination at one urgency. */
export interface Lane {
  destination: string
  urgency: Urgency
}

/** A lane as the key of a table. */
export function nameOfLane({ destination, urgency }: Lane): string {
  return `${urgency} ${destination}`
}

/** A destination in trouble: nothing goes out until `until`, then one delivery is tried. */
export interface Trouble {
  since: Instant
  failures: number
  until: Instant
  why: string
}

/** A destination that has been in trouble for this long is worth waking somebody for. */
export const TROUBLE_ALARM = 15 * 60_000

/** What trouble becomes when an attempt met it (again). A later instant that the destination named is honoured. */
export function troubled(
  before: Trouble | null,
  now: Instant,
  random: number,
  why: string,
  notBefore: Instant | null,
): Trouble {
  const failures = (before?.failures ?? 0) + 1
  const until = Math.max(now + probeDelay(failures, random), notBefore ?? 0)
  return { since: before?.since ?? now, failures, until, why }
}
