import type { Clock } from '../src/lib/clock.ts'

export interface TestClock extends Clock {
  /** Makes it later by so many milliseconds; timers that are due by then go off. */
  advance(ms: number): void
  /** Stands until what is done has ended; then it runs on. */
  active(until: () => Promise<unknown>): Promise<void>
}

const LONGEST = 2 ** 31 - 1

/** A clock that runs like any other, and can be put forward. */
export function createTestClock(): TestClock {
  let ahead = 0
  let stoodAt: number | null = null
  const timers = new Set<{ at: number; arm: () => void; goOff: () => void }>()
  const now = () => (stoodAt ?? Date.now()) + ahead

  return {
    now,
    after(ms, callback) {
      let handle: NodeJS.Timeout | undefined
      const timer = {
        at: now() + ms,
        arm() {
          clearTimeout(handle)
          const left = Math.max(timer.at - now(), 0)
          if (stoodAt === null || left === 0) handle = setTimeout(timer.goOff, Math.min(left, LONGEST))
        },
        goOff: () => cancel() && callback(),
      }
      timer.arm()
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
      // What is left has less to wait: one that lacks a millisecond must not wait for all that was skipped.
      for (const one of timers) one.arm()
    },
    async active(until) {
      const since = Date.now()
      stoodAt = since
      for (const one of timers) one.arm()
      await until()
      stoodAt = null
      ahead -= Date.now() - since
      for (const one of timers) one.arm()
    },
  }
}
