import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Logger } from './logger.ts'

/** How late turns of the event loop came, over the last whole minute (milliseconds). */
export interface EventLoopDelay {
  p50Ms: number
  p99Ms: number
  maxMs: number
}

/** The event loop of this thread, watched from within: what kills the process while it stalls is not seen here. */
export interface EventLoop extends Disposable {
  /** Whether it stalled after this instant of `performance.now()`, for longer than `stallMs`. */
  hasStalledSince(at: number): boolean
  /** The delays of the last whole minute; of the time since the start while there is none. */
  delay(): EventLoopDelay
}

interface Options {
  /** From how long on no turn of the loop is a stall (milliseconds). */
  stallMs: number
  logger: Logger
}

const RESOLUTION_MS = 50
const MINUTE_MS = 60_000

/** Beats in the time of a stall. */
const BEATS = 10

export function watchEventLoop({ stallMs, logger }: Options): EventLoop {
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

  /** The histogram counts from beat to beat. */
  function read(): EventLoopDelay {
    const delay = (nanoseconds: number) => Math.max(0, Math.round(nanoseconds / 1e5) / 10 - RESOLUTION_MS)
    return {
      p50Ms: delay(histogram.percentile(50)),
      p99Ms: delay(histogram.percentile(99)),
      maxMs: delay(histogram.max),
    }
  }

  return {
    // Where one turn stalls and ends a call, the call is over before the next beat.
    hasStalledSince: (at) => stalledAt >= at || performance.now() - Math.max(at, beatAt) >= stallMs,
    delay: () => lastMinute ?? read(),
    [Symbol.dispose]() {
      clearInterval(beating)
      clearInterval(rotating)
      histogram.disable()
    },
  }
}
