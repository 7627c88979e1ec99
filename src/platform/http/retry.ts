import { readDelay } from '../../domain/queue/retry.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Clock } from '../../lib/clock.ts'

/** A platform that asks for a longer pause than this is left alone: the caller's own schedule comes back later. */
const LONGEST_PAUSE = 5_000

/** How long to wait before a read is tried again, in milliseconds; null: not again. `tries` is how often it was tried. */
export function pauseBefore(error: unknown, tries: number, now: Instant, random: number): number | null {
  const delay = readDelay(tries, random)
  if (delay === null || !(error instanceof RetryLaterError)) return null
  const asked = error.notBefore === null ? 0 : error.notBefore - now
  return asked > LONGEST_PAUSE ? null : Math.max(asked, delay)
}

/** Waits; at once over when the signal is aborted. */
export function wait(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const cancel = clock.after(ms, end)
    signal?.addEventListener('abort', end)
    function end() {
      cancel()
      signal?.removeEventListener('abort', end)
      resolve()
    }
  })
}
