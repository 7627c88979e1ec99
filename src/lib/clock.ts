/** Injectable time; instants are milliseconds since 1970 (UTC). */
export interface Clock {
  now(): number
  /** This machine's time if `now` is the storage's. */
  machineNow?(): number
  steady?(): number
  after(ms: number, callback: () => void): () => void
}

/** Limit of a timer: 2^31 - 1 ms, some 24 days. */
const LONGEST = 2_147_483_647

export const systemClock: Clock = {
  now: Date.now,
  steady: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), LONGEST))
    return () => clearTimeout(timer)
  },
}

export function toStorageTime(clock: Clock, instant: number): number {
  return clock.machineNow ? instant + clock.now() - clock.machineNow() : instant
}

/** Never later than now. */
export function toMachineTime(clock: Clock, instant: number): number {
  const now = clock.now()
  const own = clock.machineNow?.() ?? now
  return Math.min(instant - now, 0) + own
}

/** Waits for `ms` at most; null: it takes longer, and goes on. */
export async function withTimeLimit<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<null>()
  const cancel = clock.after(ms, () => resolve(null))
  try {
    return await Promise.race([work, promise])
  } finally {
    cancel()
  }
}
