import type { Instant } from '../values/instant.ts'

/** Calls in a row that failed in a way that may be everybody's, with nothing between that got through. */
export interface Run {
  since: Instant
  calls: number
  /** The delivery that the first was for. */
  first: number
  /** The calls were for more than one delivery. */
  several: boolean
}

/** Calls in a row after which the trouble is the destination's, not the items'. */
export const CALLS = 3

/** The run with one more such failure in it. `calls`: how many were made for it; `several`: it was of several deliveries together. */
export function longer(run: Run | null, now: Instant, delivery: number, calls = 1, several = false): Run {
  if (!run) return { since: now, calls, first: delivery, several }
  return { ...run, calls: run.calls + calls, several: run.several || several || run.first !== delivery }
}

/** Whether it tells of trouble of the whole destination. */
export function isTrouble({ calls }: Run): boolean {
  return calls >= CALLS
}
