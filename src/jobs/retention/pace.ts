/** Rows that a slice is asked for. SQLite's ends earlier, by the time inside of it (store/sqlite/retention/slice.ts). */
const ROWS = 250

/** The longest rest between two slices (milliseconds). */
const LONGEST_REST = 50

interface Options {
  /** A clock for stretches of time (milliseconds). */
  now(): number
  rest(ms: number): Promise<void>
  signal: AbortSignal
}

/** Runs slices with a rest between two of them, so that whoever waits goes first. */
export function createPace({ now, rest, signal }: Options) {
  return {
    /** Runs one slice, unless the run is to end. */
    async slice<T>(work: (rows: number) => Promise<T>): Promise<T> {
      signal.throwIfAborted()
      const from = now()
      const result = await work(ROWS)
      // Half of the store's time at most: a busy machine is pruned more slowly.
      await rest(Math.min(now() - from, LONGEST_REST))
      return result
    },
  }
}

export type Pace = ReturnType<typeof createPace>
