import type { Clock } from './clock.ts'

export interface Rate {
  perSecond: number
  /** Default 1: spread evenly. */
  burst?: number
}

export interface Bucket {
  tokens: number
  at: number
}

/** Pure. A clock set back neither adds nor takes tokens. */
export function fill({ tokens, at }: Bucket, now: number, { perSecond, burst = 1 }: Rate): Bucket {
  const come = (Math.max(0, now - at) * perSecond) / 1_000
  return { tokens: Math.min(burst, tokens + come), at: now }
}

/** Milliseconds until a token is available. */
export function pauseFor({ tokens }: Bucket, { perSecond }: Rate): number {
  return Math.max(0, Math.ceil(((1 - tokens) * 1_000) / perSecond))
}

/** Disposing releases all waiters, present and future. */
export function createRateLimiter(rate: Rate, clock: Pick<Clock, 'now' | 'after'>) {
  const first = new Set<() => void>()
  const last = new Set<() => void>()
  let bucket: Bucket = { tokens: rate.burst ?? 1, at: clock.now() }
  let cancelTimer: (() => void) | null = null
  let disposed = false

  /** 0: go on; else milliseconds to wait. */
  function take(): number {
    bucket = fill(bucket, clock.now(), rate)
    const pause = pauseFor(bucket, rate)
    if (pause === 0) bucket = { ...bucket, tokens: bucket.tokens - 1 }
    return pause
  }

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

    /** FIFO, `last` after all others (lookups pass uploads). Also resolves when aborted. */
    turn({ last: isLast, signal }: { last: boolean; signal: AbortSignal | undefined }): Promise<void> {
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
