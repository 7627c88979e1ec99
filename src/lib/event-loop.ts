import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Logger } from './logger.ts'

/** Over the last full minute (ms). */
export interface EventLoopDelay {
  p50Ms: number
  p99Ms: number
  maxMs: number
}

export interface EventLoop extends Disposable {
  /** True if it stalled for `stallMs` after this `performance.now()`. */
  hasStalledSince(at: number): boolean
  /** Before the first full minute: since the start. */
  delay(): EventLoopDelay
}

const RESOLUTION_MS = 50
const MINUTE_MS = 60_000
const BEATS = 10

export function watchEventLoop({ stallMs, logger }: { stallMs: number; logger: Logger }): EventLoop {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  let lastMinute: EventLoopDelay | null = null
  let beatAt = performance.now()
  let stalledAt = Number.NEGATIVE_INFINITY

  const beating = setInterval(() => {
    const now = performance.now()
    const ms = Math.round(now - beatAt)
    beatAt = now
    if (ms < stallMs) return
    stalledAt = now
    logger.warn({ ms }, 'event-loop.stalled')
  }, stallMs / BEATS)

  const rotating = setInterval(() => {
    lastMinute = read()
    histogram.reset()
  }, MINUTE_MS)
  rotating.unref()

  function read(): EventLoopDelay {
    const delay = (nanoseconds: number) => Math.max(0, Math.round(nanoseconds / 1e5) / 10 - RESOLUTION_MS)
    return {
      p50Ms: delay(histogram.percentile(50)),
      p99Ms: delay(histogram.percentile(99)),
      maxMs: delay(histogram.max),
    }
  }

  return {
    // The call may end before the next beat.
    hasStalledSince: (at) => stalledAt >= at || performance.now() - Math.max(at, beatAt) >= stallMs,
    delay: () => lastMinute ?? read(),
    [Symbol.dispose]() {
      clearInterval(beating)
      clearInterval(rotating)
      histogram.disable()
    },
  }
}
