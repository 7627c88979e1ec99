/** A slice may keep webhooks waiting for so long (milliseconds). */
const SLICE = 8

const LEAST = 20
const MOST = 1_000

/** The longest rest between two slices (milliseconds). */
const LONGEST_REST = 50

interface Options {
  /** A clock for stretches of time (milliseconds). */
  now(): number
  rest(ms: number): Promise<void>
  signal: AbortSignal
  /** Rows of the first slice. */
  first?: number
}

/**
 * How many rows a slice takes, by how long the last ones took: the writer does nothing else meanwhile. Between two slices whoever
 * waits goes first.
 */
export function createPace({ now, rest, signal, first = 100 }: Options) {
  let rows = first

  return {
    /** Runs one slice, unless the run is to end. */
    async slice<T>(work: (rows: number) => Promise<T>): Promise<T> {
      signal.throwIfAborted()
      const from = now()
      const result = await work(rows)
      const ms = now() - from
      if (ms > SLICE) rows = Math.max(LEAST, Math.floor(rows / 2))
      else if (ms < SLICE / 2) rows = Math.min(MOST, Math.ceil(rows * 1.25))
      // Half of the writer's time at most: whoever came meanwhile has its turn, and a busy machine is pruned more slowly.
      await rest(Math.min(ms, LONGEST_REST))
      return result
    },
  }
}

export type Pace = ReturnType<typeof createPace>
