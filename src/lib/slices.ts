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

/** How long work may keep the event loop before others have their turn. */
const SLICE_MS = 3

/** One piece of long work among others that share the event loop. */
export interface SlicedWork {
  /** True: its slice is used up, and `next` is to be awaited. */
  isDue(): boolean
  /** Resolves when it is this work's turn again. */
  next(): Promise<void>
}

export interface TimeSlices {
  begin(): SlicedWork
}

/**
 * Shares the event loop among pieces of long work: in each of its turns one of them has a slice, round-robin, however many there
 * are, so that what is asked meanwhile waits for one slice and not for one of each.
 */
export function createTimeSlices(): TimeSlices {
  const waiting: (() => void)[] = []
  let isScheduled = false

  function runNext(): void {
    waiting.shift()?.()
    isScheduled = waiting.length > 0
    if (isScheduled) setImmediate(runNext)
  }

  return {
    begin() {
      let since = performance.now()
      return {
        isDue: () => performance.now() - since > SLICE_MS,
        async next() {
          await new Promise<void>((resolve) => {
            waiting.push(resolve)
            if (isScheduled) return
            isScheduled = true
            setImmediate(runNext)
          })
          since = performance.now()
        },
      }
    },
  }
}
