import { z } from 'zod'
import type { Instant } from '../../domain/values/instant.ts'

/** A round that was left unfinished for longer is begun anew (milliseconds). */
const STALE = 12 * 3_600_000

/** How far a round over stocks has come. */
export type Round = z.output<typeof Round>

export const Round = z
  .object({
    /** Null: none is under way. */
    begun: z.number().nullable(),
    done: z.array(z.string()),
  })
  .catch(() => ({ begun: null, done: [] }))

export const NO_ROUND: Round = { begun: null, done: [] }

/** The round that was left unfinished, or a new one. */
export function goOn(left: Round, now: Instant): Round & { begun: Instant } {
  const { begun, done } = left
  // One that is still to begin was noted by a clock that was ahead.
  const isOurs = begun !== null && Math.abs(now - begun) < STALE
  return isOurs ? { begun, done } : { begun: now, done: [] }
}
