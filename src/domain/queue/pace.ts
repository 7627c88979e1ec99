import type { Instant } from '../values/instant.ts'

/**
 * How fast a destination is called. It has no limit until it refuses more than a few calls as too many; then it gets as many
 * a second as it took, and more again as long as it takes them.
 */
export interface Pace {
  /** Calls a second; null: as fast as it goes. */
  limit: number | null
  /** Answers to the calls since an instant; null: none has ended. */
  window: { since: Instant; taken: number; refused: number } | null
  /** Calls that may begin now, and when that was so (with a limit only). */
  room: number
  at: Instant
}

/** As fast as it goes. */
export const UNLIMITED: Pace = { limit: null, window: null, room: 0, at: 0 }

/** A share of refusals by which the destination says that it is called fast enough. */
const MOST_REFUSED = 0.1
/** How many answers are judged together, in which time (milliseconds), and how many tell nothing. */
const ANSWERS = 20
const FEWEST = 5
const SHORTEST = 200
const LONGEST = 5_000
const SECOND = 1_000
/** However much is refused, it is called every ten seconds. */
const SLOWEST = 0.1
const FASTER = 1.25
/** Calls of so many seconds may begin at once. */
const BURST = 0.1

/** The pace after an answer. `refused`: as one too many. */
export function paceAfter(pace: Pace, now: Instant, refused: boolean): Pace {
  const window = pace.window ?? { since: now, taken: 0, refused: 0 }
  const counted = refused ? { ...window, refused: window.refused + 1 } : { ...window, taken: window.taken + 1 }
  const answers = counted.taken + counted.refused
  const time = now - counted.since
  if (time < (answers < ANSWERS ? LONGEST : SHORTEST)) return { ...pace, window: counted }
  // A few calls among long pauses tell no rate.
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
  // A limit that does not hold it back is none.
  return { limit: rate < limit / 2 ? null : limit * FASTER, room: roomAt({ limit, room, at }, now), at: now }
}

/** The pace once the clock was set: time goes on from here. */
export function paceFrom(pace: Pace, now: Instant): Pace {
  return { ...pace, window: null, at: now }
}

/** How many calls may begin now. */
export function callsAt(pace: Pace, now: Instant): number {
  return pace.limit === null ? Number.POSITIVE_INFINITY : Math.floor(roomAt(pace, now))
}

/** The pace once so many calls have begun. */
export function paceWith(pace: Pace, now: Instant, calls: number): Pace {
  return pace.limit === null ? pace : { ...pace, room: roomAt(pace, now) - calls, at: now }
}

/** When the next call may begin. */
export function nextCallAt(pace: Pace, now: Instant): Instant {
  if (pace.limit === null) return now
  return now + Math.ceil((Math.max(0, 1 - roomAt(pace, now)) / pace.limit) * SECOND)
}

function roomAt({ limit, room, at }: Pick<Pace, 'limit' | 'room' | 'at'>, now: Instant): number {
  if (limit === null) return room
  return Math.min(Math.max(1, limit * BURST), room + (Math.max(0, now - at) / SECOND) * limit)
}
