/* Every schedule by which something is tried again: items, looks, lanes, jobs, reads of the platform, a push of the command line. */

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/**
 * The schedule of one item: how long after its first, second … failure it is tried again. A shop that fails now and then fails an
 * item several times: ten minutes after it is well again, such an item is to be done, and what follows from it.
 */
const ITEM_DELAYS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  4 * MINUTE,
  5 * MINUTE,
  5 * MINUTE,
  5 * MINUTE,
  5 * MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
] as const

/** An item that has failed for this long becomes a dead letter. */
export const ITEM_LIFETIME = 72 * HOUR

/** An item that is refused for this long, while nothing else is sent there that would tell whose trouble it is, becomes a dead letter. */
export const ALONE_LIFETIME = 24 * HOUR

/** How long after a failed look for an uncertain effect the hub looks again; after the last a person decides. */
const FIND_DELAYS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  5 * MINUTE,
  5 * MINUTE,
  5 * MINUTE,
  5 * MINUTE,
  5 * MINUTE,
  HOUR,
] as const

/** Looks that count while nobody gets through. */
export const FINDS_WHILE_NOBODY = 3

const PROBE_FIRST = 5 * SECOND
const PROBE_LAST = 5 * MINUTE

/** Milliseconds until an item's next try after its `tries`-th failure; ±20 %, `random` in [0, 1). */
export function itemDelay(tries: number, random: number): number {
  return jitter(ITEM_DELAYS[Math.min(tries, ITEM_DELAYS.length) - 1] ?? ITEM_DELAYS[0], random)
}

/** While nobody gets through, an item whose time was over is charged for so many tries at most. */
export const MOST_WHILE_SILENT = 2

/** The same of an item that was refused, or failed, as everybody may have been. */
export const MOST_WHILE_REFUSED = 3

/** The wait after a refusal as one call too many (milliseconds). */
export const TOO_MANY_DELAY = SECOND

/** Milliseconds until an effect that may be there already is repeated while nobody gets through. */
export function repeatDelay(tries: number, random: number): number {
  return Math.min(itemDelay(tries, random), jitter(HOUR, random))
}

/** Milliseconds until the next try of such an item: as an item's, but no longer than a lane waits for its next probe. */
export function silentDelay(tries: number, random: number): number {
  return Math.min(itemDelay(tries, random), jitter(PROBE_LAST, random))
}

/** Milliseconds until the next look after the `finds`-th one that failed; null: no more, a person decides. */
export function findDelay(finds: number): number | null {
  return FIND_DELAYS[finds - 1] ?? null
}

/** Milliseconds until a paused lane is probed after its `failures`-th trouble in a row: 5 s, doubling, to 5 min; ±20 %. */
export function probeDelay(failures: number, random: number): number {
  return jitter(Math.min(PROBE_FIRST * 2 ** (failures - 1), PROBE_LAST), random)
}

/** A job runs again so long after its first, second and third failure in a row; then its schedule decides. */
const JOB_DELAYS = [MINUTE, 5 * MINUTE, 15 * MINUTE] as const

/** Milliseconds until a job's next try after so many failures in a row; null: its schedule decides. */
export function jobDelay(failures: number): number | null {
  return JOB_DELAYS[failures - 1] ?? null
}

/** A run that was cut off, as if it had failed: not at once, for it may take the whole process with it at every start. */
export const CUT_OFF_DELAY = JOB_DELAYS[0]

/** Before the second and the third try of a read; more tries than that nobody waits for. */
const READ_DELAYS = [250, SECOND] as const

/** Milliseconds until a read is tried again after `tries` of them; null: not again. */
export function readDelay(tries: number, random: number): number | null {
  const delay = READ_DELAYS[tries - 1]
  // Up to a fifth more, so that many readers do not come back together.
  return delay === undefined ? null : Math.round(delay * (1 + random / 5))
}

/** Between tries of `tillbridge push` to reach the hub (milliseconds). */
export const PUSH_DELAYS: readonly number[] = [
  SECOND / 2,
  2 * SECOND,
  5 * SECOND,
  10 * SECOND,
  20 * SECOND,
  30 * SECOND,
  MINUTE,
  MINUTE,
  MINUTE,
  MINUTE,
]

function jitter(delay: number, random: number): number {
  return Math.round(delay * (0.8 + 0.4 * random))
}
