import { setImmediate as breath } from 'node:timers/promises'

/** Work goes on for so long before others have a turn (milliseconds): a webhook waits for three or four such slices until it is answered. */
const SLICE = 5

/** The clock is looked at after so many things: a look costs as much as a small one of them. */
const BETWEEN_LOOKS = 8

/**
 * Does something with each of very many things, in order, and lets others have turns in between. `together`: so many of them take no
 * more than a moment (1 where a single one may take longer).
 */
export async function eachInSlices<T>(
  all: Iterable<T>,
  work: (one: T) => void,
  together = BETWEEN_LOOKS,
): Promise<void> {
  let began = performance.now()
  let done = 0
  for (const one of all) {
    work(one)
    done += 1
    if (done % together > 0 || performance.now() - began < SLICE) continue
    await breath()
    began = performance.now()
  }
}
