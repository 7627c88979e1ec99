import type { Instant } from '../values/instant.ts'

/** Consecutive failures that may be destination-wide. */
export interface Run {
  since: Instant
  calls: number
  first: number
  several: boolean
}

/** From here the destination is at fault. */
export const CALLS = 3

/** `calls`: made for it; `several`: of several deliveries. */
export function longer(run: Run | null, now: Instant, delivery: number, calls = 1, several = false): Run {
  if (!run) return { since: now, calls, first: delivery, several }
  return { ...run, calls: run.calls + calls, several: run.several || several || run.first !== delivery }
}

export function isTrouble({ calls }: Run): boolean {
  return calls >= CALLS
}
