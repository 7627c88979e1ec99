import type { Instant } from '../values/instant.ts'
import { probeDelay } from './retry.ts'

/** Separate queues: `prompt` if a customer waits. */
export type Urgency = 'prompt' | 'bulk'

export interface Lane {
  destination: string
  urgency: Urgency
}

export function nameOfLane({ destination, urgency }: Lane): string {
  return `${urgency} ${destination}`
}

/** Open circuit: one probe at `until`. */
export interface Trouble {
  since: Instant
  failures: number
  until: Instant
  /** `Retry-After`; null: none. */
  notBefore: Instant | null
  code: string
  why: string
}

/** Consecutive failures that may be destination-wide, circuit still closed. */
export interface Failing {
  since: Instant
  calls: number
  code: string
  why: string
}

/** Outage worth an alarm (ms). */
export const TROUBLE_ALARM = 15 * 60_000

/** After a clock change: probe at once. */
export function afterClockSet(trouble: Trouble, now: Instant): Trouble {
  return { ...trouble, since: Math.min(trouble.since, now), until: now, notBefore: null }
}

interface Met {
  since?: Instant
  code: string
  why: string
  notBefore: Instant | null
  /** False: one call at a time may go on, as only one delivery fails. */
  pauses?: boolean
}

/** A later `Retry-After` is respected. */
export function troubled(before: Trouble | null, now: Instant, random: number, met: Met): Trouble {
  const { since = now, code, why, notBefore, pauses = true } = met
  const failures = (before?.failures ?? 0) + 1
  const pause = pauses ? probeDelay(failures, random) : 0
  const until = Math.max(now + pause, notBefore ?? 0)
  return { since: before?.since ?? since, failures, until, notBefore, code, why }
}
