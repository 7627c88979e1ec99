import type { Instant } from '../values/instant.ts'

/** Adaptive rate: unlimited until more than a few 429s, then the rate that was taken, growing while it is. */
export interface Pace {
  limit: number | null
  window: { since: Instant; taken: number; refused: number } | null
  /** Tokens and their time. */
  room: number
  at: Instant
}

export const UNLIMITED: Pace = { limit: null, window: null, room: 0, at: 0 }

/** Share of refusals that means "fast enough". */
const MOST_REFUSED = 0.1
/** Answers judged together, their time (ms), and the minimum. */
const ANSWERS = 20
const FEWEST = 5
const SHORTEST = 200
const LONGEST = 5_000
const SECOND = 1_000
/** Floor (calls per second). */
const SLOWEST = 0.1
const FASTER = 1.25
/** Seconds of calls that may start at once. */
const BURST = 0.1

/** `refused`: 429. */
export function paceAfter(pace: Pace, now: Instant, refused: boolean): Pace {
  const window = pace.window ?? { since: now, taken: 0, refused: 0 }
  const counted = refused ? { ...window, refused: window.refused + 1 } : { ...window, taken: window.taken + 1 }
  const answers = counted.taken + counted.refused
  const time = now - counted.since
  if (time < (answers < ANSWERS ? LONGEST : SHORTEST)) return { ...pace, window: counted }
  // Too few to estimate a rate.
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
