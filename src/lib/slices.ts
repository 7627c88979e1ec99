import { setImmediate as breath } from 'node:timers/promises'

/** Slice length (ms): a webhook waits for three or four. */
const SLICE = 5

/** Items between clock reads. */
const BETWEEN_LOOKS = 8

/** Processes many items in order, yielding between slices. `together`: items per clock read (1 if a single one is slow). */
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

/** Slice length (ms). */
const SLICE_MS = 3

export interface SlicedWork {
  /** True: await `next`. */
  isDue(): boolean
  next(): Promise<void>
}

export interface TimeSlices {
  begin(): SlicedWork
}

/** Round-robin time slices among long tasks: requests wait for one slice, not one of each. */
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
