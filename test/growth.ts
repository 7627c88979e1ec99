/** In milliseconds. What takes less is not told from nothing: a collector of garbage has moods. */
const LEAST = 2

/** How many times as much is given the second time. */
const TIMES = 8

/**
 * How many times as long a work takes when it is given eight times as much: about eight where time is linear, about
 * sixty-four where it is quadratic. `prepare` makes what is worked on, and its time does not count.
 */
export function growth<T>(size: number, prepare: (size: number) => T, work: (given: T) => unknown): number {
  return Math.max(best(size * TIMES, prepare, work), LEAST) / Math.max(best(size, prepare, work), LEAST)
}

/** Half way between linear and quadratic, for a machine that does something else meanwhile. */
export const LINEAR = 36

/** The shortest of three, in time of the processor: that of other processes does not count. */
function best<T>(size: number, prepare: (size: number) => T, work: (given: T) => unknown): number {
  const times = [1, 2, 3].map(() => {
    const given = prepare(size)
    const begin = process.threadCpuUsage()
    work(given)
    const { user, system } = process.threadCpuUsage(begin)
    return (user + system) / 1_000
  })
  return Math.min(...times)
}
