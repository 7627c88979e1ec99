import { wantsFewer } from '../domain/queue/blame.ts'
import type { Outcome } from '../domain/queue/outcome.ts'
import { callsAt, nextCallAt, paceAfter, paceFrom, paceWith, UNLIMITED } from '../domain/queue/pace.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Logger } from '../lib/logger.ts'

/** Lets calls of one destination begin, as many a second as it takes. */
export interface RateLimiter {
  /** How many calls may begin now. */
  room(now: Instant): number
  /** The number of calls that have begun. */
  passed(calls: number, now: Instant): void
  /** When the next may begin; null: now. */
  opensAt(now: Instant): Instant | null
  /** Learns from what became of a call. */
  follow(outcome: Outcome, now: Instant): void
  /** The clock was set: it begins to count anew. */
  clockWasSet(now: Instant): void
  /** Calls a second; null: as fast as it goes. */
  limit(): number | null
}

export function createRateLimiter(destination: string, logger: Logger): RateLimiter {
  let pace = UNLIMITED

  return {
    room: (now) => callsAt(pace, now),
    passed(calls, now) {
      pace = paceWith(pace, now, calls)
    },
    opensAt: (now) => (callsAt(pace, now) > 0 ? null : nextCallAt(pace, now)),
    follow(outcome, now) {
      const before = pace.limit
      pace = paceAfter(pace, now, wantsFewer(outcome))
      if (before === null && pace.limit !== null)
        logger.warn({ destination, callsPerSecond: pace.limit }, 'destination.slowed')
      if (before !== null && pace.limit === null) logger.info({ destination }, 'destination.as-fast-as-before')
    },
    clockWasSet(now) {
      pace = paceFrom(pace, now)
    },
    limit: () => pace.limit,
  }
}
