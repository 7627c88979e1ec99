import { z } from 'zod'
import type { Instant } from '../../domain/values/instant.ts'
import { isStillToCome } from '../../domain/values/still-to-come.ts'

/** The last runs of a road, in order: when each began, and the frozen bound up to which it looked. */
export type Runs = z.output<typeof Runs>

export const Runs = z.array(z.object({ at: z.number(), bound: z.number() })).default([])

/** The most that are remembered: of a clock that is ahead for longer, it is not known any more what was right before. */
const MOST = 50

/** The runs with this one. Those that are still to come are forgotten: what they have looked through was taken back by then. */
export function withRun(runs: Runs, run: Runs[number]): Runs {
  return [...runs.filter(({ at }) => !isStillToCome(at, run.at)), run].slice(-MOST)
}

/** Whether a run was begun by a clock that was ahead, and that time is still to come. */
export function wasAhead(runs: Runs, now: Instant): boolean {
  return runs.some(({ at }) => isStillToCome(at, now))
}

/** Up to where the last run looked whose clock was right; null: nobody remembers one. */
export function lookedUpTo(runs: Runs, now: Instant): Instant | null {
  return runs.findLast(({ at }) => !isStillToCome(at, now))?.bound ?? null
}

/** The part of the platform's rate that each of the two jobs takes which prove what is here: together a fifth, and the rest is for live traffic. */
export const SHARE = 0.1
