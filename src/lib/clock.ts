/** Time as the hub's parts are given it, so that a test can be its own. Instants are milliseconds since 1970 (UTC). */
export interface Clock {
  now(): number
  /** The machine's own time, where `now` is another's; adapters go by it. */
  own?(): number
  /** Milliseconds since an instant that no one knows, which nobody can set; not given: there is no such clock beside it. */
  steady?(): number
  /** Calls back once after so many milliseconds, unless the returned function was called before. */
  after(ms: number, callback: () => void): () => void
}

/** A timer cannot wait longer than this (2^31 - 1 ms, some 24 days). */
const LONGEST = 2_147_483_647

export const systemClock: Clock = {
  now: Date.now,
  steady: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), LONGEST))
    return () => clearTimeout(timer)
  },
}

/** An instant by this machine's clock, by the clock's `now`. */
export function byClock(clock: Clock, instant: number): number {
  return clock.own ? instant + clock.now() - clock.own() : instant
}

/** An instant of the past by the clock's `now`, by this machine's clock. One that was put back meanwhile makes it no later than now. */
export function pastByOwnClock(clock: Clock, instant: number): number {
  const now = clock.now()
  const own = clock.own?.() ?? now
  return Math.min(instant - now, 0) + own
}
