/** Time as the hub's parts are given it, so that a test can be its own. Instants are milliseconds since 1970 (UTC). */
export interface Clock {
  now(): number
  /** Calls back once after so many milliseconds, unless the returned function was called before. */
  after(ms: number, callback: () => void): () => void
}

/** A timer cannot wait longer than this (2^31 - 1 ms, some 24 days). */
const LONGEST = 2_147_483_647

export const systemClock: Clock = {
  now: Date.now,
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), LONGEST))
    return () => clearTimeout(timer)
  },
}
