import type { Clock } from '../src/lib/clock.ts'

export interface TestClock extends Clock {
  /** Makes it later by so many milliseconds; timers that are due by then go off. */
  advance(ms: number): void
}

/** A clock that runs like any other, and can be put forward. */
export function createTestClock(): TestClock {
  let ahead = 0
  const timers = new Set<{ at: number; goOff: () => void }>()
  const now = () => Date.now() + ahead

  return {
    now,
    after(ms, callback) {
      const timer = { at: now() + ms, goOff: () => cancel() && callback() }
      const handle = setTimeout(timer.goOff, Math.min(Math.max(ms, 0), 2 ** 31 - 1))
      timers.add(timer)
      return cancel

      function cancel(): boolean {
        clearTimeout(handle)
        return timers.delete(timer)
      }
    },
    advance(ms) {
      ahead += ms
      for (const one of [...timers].sort((a, b) => a.at - b.at)) if (one.at <= now()) one.goOff()
    },
  }
}
