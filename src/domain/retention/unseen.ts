import { formatInstant, type Instant } from '../values/instant.ts'

/** A run that comes so much later than its turn was not merely late (milliseconds). */
const LONG = 30 * 24 * 3_600_000

/**
 * Why a run is to leave everything as it is: by this clock nobody has looked for so long that it may as well be the clock, and what
 * goes does not come back. `last`: when a run last believed the clock; `turn`: when the next one was due. Null: it may prune.
 */
export function whyUnseen(last: Instant, turn: Instant, now: Instant): string | null {
  if (now - turn <= LONG) return null
  const [before, today] = [last, now].map((at) => formatInstant(at).slice(0, 10))
  return `By this clock it is ${today}, and retention ran last on ${before}: nothing is pruned, since what goes does not come back where the clock is ahead. Look at it (timedatectl). If it is right, and the hub was off for so long, "tillbridge retention run" prunes, and the nights after it do.`
}
