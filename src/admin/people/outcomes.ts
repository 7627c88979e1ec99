import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'

/** How long what came of an erasure can be had again (milliseconds), and of how many. */
const KEPT = 24 * 3_600_000
const MOST = 100

/**
 * What came of erasures, for whoever did not hear of it: a connection may break before there is a proof, which the person cannot be
 * erased again for. It is kept in memory alone: beside the secret of the search index, its hashes would tell who it was.
 */
export function createOutcomes<Outcome>({ now }: Pick<Clock, 'now'>) {
  const secret = randomBytes(32)
  const running = new Map<string, Promise<Outcome>>()
  const ended = new Map<string, { outcome: Outcome; at: number }>()

  function keyOf(asked: readonly string[]): string {
    return createHash('sha256').update(secret).update(JSON.stringify(asked)).digest('hex')
  }

  return {
    /** Does the work, or waits for the same that is being done. */
    async once(asked: readonly string[], work: () => Promise<Outcome>): Promise<Outcome> {
      const key = keyOf(asked)
      const before = running.get(key)
      if (before !== undefined) return await before
      const run = work()
      running.set(key, run)
      try {
        return await run
      } finally {
        running.delete(key)
      }
    },

    keep(asked: readonly string[], outcome: Outcome): void {
      ended.delete(keyOf(asked))
      ended.set(keyOf(asked), { outcome, at: now() })
      for (const [key, { at }] of ended) if (ended.size > MOST || at < now() - KEPT) ended.delete(key)
    },

    /** What came of the same last; null: nothing that is kept still. */
    last(asked: readonly string[]): Outcome | null {
      const one = ended.get(keyOf(asked))
      return one && one.at >= now() - KEPT ? one.outcome : null
    },
  }
}
