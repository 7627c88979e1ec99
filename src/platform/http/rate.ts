import { UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Clock } from '../../lib/clock.ts'

/** How many requests are sent at most. */
export interface Rate {
  perSecond: number
}

/** How many requests may be sent at once. Tokens come in with time, up to one: requests are spread, not sent in heaps. */
export interface Bucket {
  tokens: number
  /** When they were counted. */
  at: Instant
}

const FULL = 1

/** The bucket at a later instant: pure. A clock that was put back brings no tokens, and takes none. */
export function fill({ tokens, at }: Bucket, now: Instant, { perSecond }: Rate): Bucket {
  const come = (Math.max(0, now - at) * perSecond) / 1_000
  return { tokens: Math.min(FULL, tokens + come), at: now }
}

/** Milliseconds until there is a token in the bucket; 0: there is one. */
export function pauseFor({ tokens }: Bucket, { perSecond }: Rate): number {
  return Math.ceil(((FULL - tokens) * 1_000) / perSecond)
}

/** Lets callers go on one by one. Disposing it lets all go on that wait, and that come later. */
export interface RateLimit extends Disposable {
  /**
   * Waits for the caller's turn: in the order of asking, but those that ask to be `last` after all others. So a lookup that a
   * person waits for is not kept behind a long upload. Also over when the signal is aborted: the caller looks at it.
   */
  turn(options: { last: boolean; signal: AbortSignal | undefined }): Promise<void>
}

export function createRateLimit(rate: Rate, clock: Clock): RateLimit {
  const first = new Set<() => void>()
  const last = new Set<() => void>()
  let bucket: Bucket = { tokens: FULL, at: clock.now() }
  let cancelTimer: (() => void) | null = null
  let disposed = false

  /** Lets go on who may, and comes back for the others. */
  function serve(): void {
    cancelTimer?.()
    cancelTimer = null
    for (const queue of [first, last])
      for (const goOn of queue) {
        bucket = fill(bucket, clock.now(), rate)
        const pause = pauseFor(bucket, rate)
        if (pause > 0) {
          cancelTimer = clock.after(pause, serve)
          return
        }
        bucket = { ...bucket, tokens: bucket.tokens - 1 }
        goOn()
      }
  }

  return {
    turn({ last: isLast, signal }) {
      return new Promise((resolve) => {
        if (disposed || signal?.aborted) return resolve()
        const queue = isLast ? last : first
        queue.add(goOn)
        signal?.addEventListener('abort', goOn)
        serve()
        function goOn() {
          queue.delete(goOn)
          signal?.removeEventListener('abort', goOn)
          resolve()
        }
      })
    },

    [Symbol.dispose]() {
      disposed = true
      cancelTimer?.()
      for (const goOn of [...first, ...last]) goOn()
    },
  }
}

/** Throws a UserError where it is no rate. */
export function checkRate(rate: Rate | undefined): Rate | undefined {
  if (rate === undefined || (rate.perSecond > 0 && Number.isFinite(rate.perSecond))) return rate
  throw new UserError('platform.rate.perSecond: it must be a number above 0, such as 10.')
}
