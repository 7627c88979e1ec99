import type { Instant } from '../values/instant.ts'
import { isStillToCome } from '../values/still-to-come.ts'
import { FIND_FAILED, FIND_UNFINISHED } from './delivery.ts'

/*
 * A call that went unanswered may take effect long after the caller has given up. So a lookup that finds nothing proves nothing for a
 * time (`inDoubtFor`) after the last such call has ended, whatever the adapter; only then does a second call follow.
 */

/** The code of a lookup that found nothing while an earlier call may still take effect. */
export const NOT_FOUND_YET = 'not-found-yet'

/** The code of an adapter that would have to make something a second time while an earlier call may still take effect. */
export const MAY_STILL_LAND = 'may-still-land'

/** The code of a lookup by an adapter whose system knows the key of a call, and carries it out once however often it comes. */
export const MAY_REPEAT = 'may-repeat'

/** The code of an attempt whose time was over when it had looked up an earlier effect. */
export const NO_TIME_LEFT = 'no-time-left'

/** The codes of attempts with an unknown outcome that called nothing. */
const CALLED_NOTHING = new Set([FIND_FAILED, FIND_UNFINISHED, NO_TIME_LEFT, 'cannot-find', 'uncertain'])

interface TriedAt {
  at: Instant
  /** Milliseconds. */
  ms: number
  outcome: string
  code: string
}

/**
 * The end of the last call of a delivery in doubt of which nobody knows whether it took effect; where no attempt tells of one, the
 * first lookup that found nothing; else now. What a clock that was ahead has noted is passed over.
 */
export function inDoubtSince(attempts: readonly TriedAt[], now: Instant): Instant {
  const told = attempts.filter(({ at }) => !isStillToCome(at, now))
  const call = told.findLast(({ outcome, code }) => outcome === 'unknown' && !CALLED_NOTHING.has(code))
  if (call) return Math.min(call.at + call.ms, now)
  return told.find(({ code }) => code === NOT_FOUND_YET)?.at ?? now
}

/**
 * When a delivery is looked up again that was not found, in pauses that double, the last time when its doubt is over; null: it is
 * over now. `landing`: the shortest pause (all in milliseconds).
 */
export function nextLookup(since: Instant, now: Instant, inDoubtFor: number, landing: number): Instant | null {
  const end = since + inDoubtFor
  return now >= end ? null : Math.min(end, now + Math.max(landing, now - since))
}
