import type { Clock } from '../../../src/lib/clock.ts'

export interface FixedClock extends Clock {
  /** Makes it later, from timer to timer: each goes off at its own instant, those that they set, too. */
  pass(ms: number): void
  /** The machine's clock is set, by so much: timers go off as much later as before. */
  set(by: number): void
}

/** A clock that stands still until it is told to go on: what happens at which instant is then no matter of chance. */
export function createStandingClock(start: string): FixedClock {
  let now = Date.parse(start)
  const timers = new Set<{ at: number; callback: () => void }>()

  return {
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + Math.max(ms, 0), callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    pass(ms) {
      const end = now + ms
      for (;;) {
        const [first] = [...timers].sort((a, b) => a.at - b.at)
        if (!first || first.at > end) break
        timers.delete(first)
        now = Math.max(now, first.at)
        first.callback()
      }
      now = end
    },
    set(by) {
      now += by
      for (const timer of timers) timer.at += by
    },
  }
}
