import type { Instant } from '../values/instant.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Within ten minutes after a recovery the item and its dependents are done. */
const ITEM_DELAYS = [
  ...[5, 30].map((seconds) => seconds * SECOND),
  ...[2, 4, 5, 5, 5, 5, 5, 30, 60, 180, 360, 720].map((minutes) => minutes * MINUTE),
]

export const ITEM_LIFETIME = 72 * HOUR
export const ALONE_LIFETIME = 24 * HOUR

const FIND_DELAYS = [5, 30, 120, 300, 300, 300, 300, 300, 3_600].map((seconds) => seconds * SECOND)

export const FINDS_WHILE_NOBODY = 3
const PROBE_FIRST = 5 * SECOND
const PROBE_LAST = 5 * MINUTE

/** Longest pauses during an outage (ms). */
export const OUTAGE_REPEAT = HOUR
export const OUTAGE_RETRY = PROBE_LAST

/** ±20 %, `random` in [0, 1) (ms). */
export function itemDelay(tries: number, random: number, longest = Number.POSITIVE_INFINITY): number {
  const delay = ITEM_DELAYS[Math.min(tries, ITEM_DELAYS.length) - 1] ?? 5 * SECOND
  return jitter(Math.min(delay, longest), random)
}

export const MAX_WHILE_SILENT = 2
export const MAX_WHILE_REFUSED = 3

/** (ms) */
export const TOO_MANY_DELAY = SECOND

export function findDelay(finds: number): number | null {
  return FIND_DELAYS[finds - 1] ?? null
}

export function probeDelay(failures: number, random: number): number {
  return jitter(Math.min(PROBE_FIRST * 2 ** (failures - 1), PROBE_LAST), random)
}

const JOB_DELAYS = [MINUTE, 5 * MINUTE, 15 * MINUTE] as const

export function jobDelay(failures: number): number | null {
  return JOB_DELAYS[failures - 1] ?? null
}

export const CUT_OFF_DELAY = JOB_DELAYS[0]
const READ_DELAYS = [250, SECOND] as const

export function readDelay(tries: number, random: number): number | null {
  const delay = READ_DELAYS[tries - 1]
  return delay === undefined ? null : Math.round(delay * (1 + random / 5))
}

/** (ms) */
export const PUSH_DELAYS: readonly number[] = [0.5, 2, 5, 10, 20, 30, 60, 60, 60, 60].map((seconds) => seconds * SECOND)

function jitter(delay: number, random: number): number {
  return Math.round(delay * (0.8 + 0.4 * random))
}

/** How long a step waits for what it is about (ms). */
export const MAX_WAIT = 24 * HOUR

/** Grows with how long it has waited, up to `most` (ms). */
export function pauseAfter(age: number, most: number): number {
  return Math.min(Math.max(Math.round(age / 4), SECOND), most)
}

/** When a step that waits for what it is about looks again; null: it has waited long enough. */
export function waitFor(age: number, now: Instant): Instant | null {
  return age >= MAX_WAIT ? null : now + pauseAfter(age, 10 * MINUTE)
}
