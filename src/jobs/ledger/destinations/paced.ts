import { setTimeout as delay } from 'node:timers/promises'

/** The longest rest between two questions (milliseconds). */
const LONGEST_REST = 5_000

/**
 * Asks one question after the other, and rests after each for as long as it took: a destination is at most half busy with being asked,
 * on one of its connections, and what is owed to it goes on.
 */
export function createPaced(timeout: number, signal: AbortSignal) {
  let rest = 0
  return async <T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    if (rest > 0) await delay(Math.min(rest, LONGEST_REST), undefined, { signal })
    signal.throwIfAborted()
    const begun = performance.now()
    try {
      return await ask(AbortSignal.any([signal, AbortSignal.timeout(timeout)]))
    } finally {
      rest = performance.now() - begun
    }
  }
}
