import type { Instant } from '../values/instant.ts'
import { isStillToCome } from '../values/still-to-come.ts'
import { FIND_FAILED, FIND_UNFINISHED } from './delivery.ts'

/**
 * An unanswered call may take effect after its timeout: an empty lookup proves nothing for `inDoubtFor` after the last such call; only
 * then is it repeated.
 */

export const NOT_FOUND_YET = 'not-found-yet'

/** The adapter would repeat something that may still land. */
export const MAY_STILL_LAND = 'may-still-land'

/** The system dedupes by key: repeat. */
export const MAY_REPEAT = 'may-repeat'

export const NO_TIME_LEFT = 'no-time-left'

/** Unknown outcomes without a call. */
const CALLED_NOTHING = new Set([FIND_FAILED, FIND_UNFINISHED, NO_TIME_LEFT, 'cannot-find', 'uncertain'])

interface TriedAt {
  at: Instant
  ms: number
  outcome: string
  code: string
}

/** End of the last call in doubt; else the first empty lookup, else now. Times in the future are ignored. */
export function inDoubtSince(attempts: readonly TriedAt[], now: Instant): Instant {
  const told = attempts.filter(({ at }) => !isStillToCome(at, now))
  const call = told.findLast(({ outcome, code }) => outcome === 'unknown' && !CALLED_NOTHING.has(code))
  if (call) return Math.min(call.at + call.ms, now)
  return told.find(({ code }) => code === NOT_FOUND_YET)?.at ?? now
}

/** Next lookup, at doubling pauses until the doubt ends; null: it has ended. `landing`: shortest pause (ms). */
export function nextLookup(since: Instant, now: Instant, inDoubtFor: number, landing: number): Instant | null {
  const end = since + inDoubtFor
  return now >= end ? null : Math.min(end, now + Math.max(landing, now - since))
}
