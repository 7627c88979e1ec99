import type { Clock } from './clock.ts'

/** How many may go on. */
export interface Rate {
  perSecond: number
  /** How many may go on at once when nobody came for long; 1 if not given: they are spread, not sent in heaps. */
  burst?: number
}

/** A token bucket. */
export interface Bucket {
  tokens: number
  /** When they were counted. */
  at: number
}

/** The bucket at a later instant: pure. A clock that was put back brings no tokens, and takes none. */
export function fill({ tokens, at }: Bucket, now: number, { perSecond, burst = 1 }: Rate): Bucket {
  const come = (Math.max(0, now - at) * perSecond) / 1_000
  return { tokens: Math.min(burst, tokens + come), at: now }
}

/** Milliseconds until there is a token in the bucket; 0: there is one. */
export function pauseFor({ tokens }: Bucket, { perSecond }: Rate): number {
  return Math.max(0, Math.ceil(((1 - tokens) * 1_000) / perSecond))
}

/** Lets callers go on one by one. Disposing it lets all go on that wait, and that come later. */
export interface RateLimiter extends Disposable {
  /** Goes on now, if it may: 0. Else milliseconds until it may ask again. */
  take(): number
  /**
   * Waits for the caller's turn: in the order of asking, but those that ask to be `last` after all others. So a lookup that a
   * person waits for is not kept behind a long upload. Also over when the signal is aborted: the caller looks at it.
   */
  turn(options: { last: boolean; signal: AbortSignal | undefined }): Promise<void>
}

export function createRateLimiter(rate: Rate, clock: Pick<Clock, 'now' | 'after'>): RateLimiter {
  const first = new Set<() => void>()
  const last = new Set<() => void>()
  let bucket: Bucket = { tokens: rate.burst ?? 1, at: clock.now() }
  let cancelTimer: (() => void) | null = null
  let disposed = false

  function take(): number {
    bucket = fill(bucket, clock.now(), rate)
    const pause = pauseFor(bucket, rate)
    if (pause === 0) bucket = { ...bucket, tokens: bucket.tokens - 1 }
    return pause
  }

  /** Lets go on who may, and comes back for the others. */
  function serve(): void {
    cancelTimer?.()
    cancelTimer = null
    for (const queue of [first, last])
      for (const goOn of queue) {
        const pause = take()
        if (pause > 0) {
          cancelTimer = clock.after(pause, serve)
          return
        }
        goOn()
      }
  }

  return {
    take,

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
