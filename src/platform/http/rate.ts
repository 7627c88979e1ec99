import type { Clock } from '../../lib/clock.ts'
import { type Bucket, FULL, fill, pauseFor, type Rate } from './bucket.ts'

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
