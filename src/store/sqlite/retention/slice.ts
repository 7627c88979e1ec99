import type { Dropped } from '../../retention/pruning.ts'

/** The longest that work which can wait may keep the writer from what cannot, besides its commit (milliseconds). */
const SLICE = 4

/** Rows of one step: between two steps it is asked whether there is time for another one. */
const STEP = 10

/**
 * Slices of the writer's time: each call of work that can wait has one. It ends by the time inside of it, not by how long the one before
 * took, so that it is as short on a slow machine. Its first step is always done: everything comes to an end. `now`: a clock for stretches of
 * time (milliseconds).
 */
export function createSlices(now: () => number = () => performance.now()) {
  /** Begins a slice. The answer tells whether there is time for another step. */
  function begin(): () => boolean {
    const until = now() + SLICE
    return () => now() < until
  }

  return {
    begin,

    /** Goes from place to place, `limit` rows at most. */
    walk<Place>(first: Place, limit: number, step: (after: Place, rows: number) => Dropped<Place>): Dropped<Place> {
      const hasTime = begin()
      let [after, left, dropped]: [Place | null, number, number] = [first, limit, 0]
      do {
        const rows = Math.min(STEP, left)
        const part = step(after, rows)
        dropped += part.dropped
        after = part.after
        left -= rows
      } while (after !== null && left > 0 && hasTime())
      return { dropped, after }
    },

    /** Does something of `limit` rows at most until a step finds none; how many rows. */
    repeat(limit: number, step: (rows: number) => number): number {
      const hasTime = begin()
      let done = 0
      do {
        const some = step(Math.min(STEP, limit - done))
        if (some === 0) break
        done += some
      } while (done < limit && hasTime())
      return done
    },

    /** Does it for all of a list, a few at a time, until a step is not done; of how many it was. */
    each<T>(all: readonly T[], step: (few: readonly T[], hasTime: () => boolean) => boolean): number {
      const hasTime = begin()
      let done = 0
      do {
        const few = all.slice(done, done + STEP)
        if (few.length === 0 || !step(few, hasTime)) break
        done += few.length
      } while (hasTime())
      return done
    },
  }
}

export type Slices = ReturnType<typeof createSlices>
