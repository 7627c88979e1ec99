import type { Dropped } from '../../retention/pruning.ts'

/** Longest hold of the writer besides the commit (ms). */
const SLICE = 4
const STEP = 10

/** Time slices for low-priority work, at least one step each, so that it progresses on any machine. */
export function createSlices(now: () => number = () => performance.now()) {
  function begin(): () => boolean {
    const until = now() + SLICE
    return () => now() < until
  }

  return {
    begin,

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
