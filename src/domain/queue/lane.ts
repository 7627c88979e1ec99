import type { Instant } from '../values/instant.ts'
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
  /** The other side itself takes nothing before this instant; null: it named none. */
  notBefore: Instant | null
  code: string
  why: string
}

/** Calls in a row that failed in a way that may be everybody's, and are no trouble of the whole destination (yet). */
export interface Failing {
  since: Instant
  calls: number
  /** The last of them. */
  code: string
  why: string
}

/** A destination that has been in trouble for this long is worth waking somebody for. */
export const TROUBLE_ALARM = 15 * 60_000

/** The trouble once the clock was set: instants of before tell nothing, and the next delivery is tried at once. */
export function afterClockSet(trouble: Trouble, now: Instant): Trouble {
  return { ...trouble, since: Math.min(trouble.since, now), until: now, notBefore: null }
}

/** Trouble of the destination that an attempt met. */
interface Met {
  /** When it began, where that is not now. */
  since?: Instant
  code: string
  why: string
  /** An instant that the destination named. */
  notBefore: Instant | null
  /** False: others may be tried at once, one at a time; so far only one delivery tells of it. */
  pauses?: boolean
}

/** The trouble of a lane after an attempt met it (again). A later instant that the destination named is honoured. */
export function troubled(before: Trouble | null, now: Instant, random: number, met: Met): Trouble {
  const { since = now, code, why, notBefore, pauses = true } = met
  const failures = (before?.failures ?? 0) + 1
  const pause = pauses ? probeDelay(failures, random) : 0
  const until = Math.max(now + pause, notBefore ?? 0)
  return { since: before?.since ?? since, failures, until, notBefore, code, why }
}
