import type { Clock } from '../../lib/clock.ts'

const MINUTE = 60_000

/** Counts what each of so many may do in a minute. Gives null where it may, else after how many seconds it may again. */
export function createPerMinute(most: number, clock: Clock): (who: number) => number | null {
  const windows = new Map<number, { since: number; count: number }>()
  return (who) => {
    const now = clock.now()
    const window = windows.get(who)
    if (!window || now - window.since >= MINUTE || now < window.since) {
      windows.set(who, { since: now, count: 1 })
      return null
    }
    if (window.count >= most) return Math.max(1, Math.ceil((window.since + MINUTE - now) / 1_000))
    window.count += 1
    return null
  }
}
