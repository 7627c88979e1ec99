import type { Instant } from '../values/instant.ts'
import { probeDelay } from './retry.ts'

export type Urgency = 'prompt' | 'bulk'

export interface Lane {
  destination: string
  urgency: Urgency
}

export function nameOfLane({ destination, urgency }: Lane): string {
  return `${urgency} ${destination}`
}

export interface Trouble {
  since: Instant
  failures: number
  until: Instant
  notBefore: Instant | null
  code: string
  why: string
}

export interface Failing {
  since: Instant
  calls: number
  code: string
  why: string
}

/** Outage worth an alarm (ms). */
export const TROUBLE_ALARM = 15 * 60_000

export function afterClockSet(trouble: Trouble, now: Instant): Trouble {
  return { ...trouble, since: Math.min(trouble.since, now), until: now, notBefore: null }
}

export function troubled(
  before: Trouble | null,
  now: Instant,
  random: number,
  met: Pick<Trouble, 'code' | 'why' | 'notBefore'> & { since?: Instant; pauses?: boolean },
): Trouble {
  const { since = now, code, why, notBefore, pauses = true } = met
  const failures = (before?.failures ?? 0) + 1
  const pause = pauses ? probeDelay(failures, random) : 0
  const until = Math.max(now + pause, notBefore ?? 0)
  return { since: before?.since ?? since, failures, until, notBefore, code, why }
}

/** Calls refused in a row; `first`: the delivery of the first, `several`: others were among them. */
export interface Run {
  since: Instant
  calls: number
  first: number
  several: boolean
}

export const CALLS = 3

export function longer(run: Run | null, now: Instant, delivery: number, calls = 1, several = false): Run {
  if (!run) return { since: now, calls, first: delivery, several }
  return { ...run, calls: run.calls + calls, several: run.several || several || run.first !== delivery }
}

export function isTrouble({ calls }: Run): boolean {
  return calls >= CALLS
}

/** Adaptive rate: unlimited until more than a few 429s, then the rate that was taken, growing while it is. */
export interface Pace {
  limit: number | null
  window: { since: Instant; taken: number; refused: number } | null
  room: number
  at: Instant
}

export const UNLIMITED: Pace = { limit: null, window: null, room: 0, at: 0 }
const MOST_REFUSED = 0.1
/** Answers judged together, their time (ms), and the minimum. */
const ANSWERS = 20
const FEWEST = 5
const SHORTEST = 200
const LONGEST = 5_000
const SECOND = 1_000
const SLOWEST = 0.1
const FASTER = 1.25
const BURST = 0.1

export function paceAfter(pace: Pace, now: Instant, refused: boolean): Pace {
  const window = pace.window ?? { since: now, taken: 0, refused: 0 }
  const counted = refused ? { ...window, refused: window.refused + 1 } : { ...window, taken: window.taken + 1 }
  const answers = counted.taken + counted.refused
  const time = now - counted.since
  if (time < (answers < ANSWERS ? LONGEST : SHORTEST)) return { ...pace, window: counted }
  if (pace.limit === null && answers < FEWEST) return { ...pace, window: null }
  return { ...pace, ...limited(pace, counted, time / SECOND, now), window: null }
}

function limited(
  { limit, room, at }: Pace,
  { taken, refused }: NonNullable<Pace['window']>,
  seconds: number,
  now: Instant,
): Pick<Pace, 'limit' | 'room' | 'at'> {
  const rate = (taken + refused) / seconds
  if (refused > MOST_REFUSED * (taken + refused))
    return { limit: Math.max(SLOWEST, taken / seconds, (limit ?? rate) / 4), room: 0, at: now }
  if (limit === null) return { limit, room, at }
  // Remove a limit that no longer limits.
  return { limit: rate < limit / 2 ? null : limit * FASTER, room: roomAt({ limit, room, at }, now), at: now }
}

export function paceFrom(pace: Pace, now: Instant): Pace {
  return { ...pace, window: null, at: now }
}

export function callsAt(pace: Pace, now: Instant): number {
  return pace.limit === null ? Number.POSITIVE_INFINITY : Math.floor(roomAt(pace, now))
}

export function paceWith(pace: Pace, now: Instant, calls: number): Pace {
  return pace.limit === null ? pace : { ...pace, room: roomAt(pace, now) - calls, at: now }
}

export function nextCallAt(pace: Pace, now: Instant): Instant {
  if (pace.limit === null) return now
  return now + Math.ceil((Math.max(0, 1 - roomAt(pace, now)) / pace.limit) * SECOND)
}

function roomAt({ limit, room, at }: Pick<Pace, 'limit' | 'room' | 'at'>, now: Instant): number {
  if (limit === null) return room
  return Math.min(Math.max(1, limit * BURST), room + (Math.max(0, now - at) / SECOND) * limit)
}
