import { UserError } from '../values/errors.ts'
import { dayAfter, type Instant } from '../values/instant.ts'
import { toInstant } from '../values/store-time.ts'
import type { Range } from './covered.ts'

const HOUR = 3_600_000

/**
 * A business day (`yyyy-mm-dd`) from its midnight to the next, by the clock of the store: 23 or 25 hours where clocks change. Where the
 * zone is not known (null), the 50 hours in which it is that day somewhere. Throws PermanentError `unknown-time-zone`.
 */
export function dayRange(day: string, zone: string | null): Range {
  const next = dayAfter(day)
  if (zone === null) return { from: Date.parse(day) - 14 * HOUR, to: Date.parse(next) + 12 * HOUR }
  return { from: toInstant(`${day}T00:00:00`, zone), to: toInstant(`${next}T00:00:00`, zone) }
}

/**
 * The time that a question is about: a day in these stores, from its first beginning to its last end, or all until then. No store at all
 * counts as one whose zone is not known. Throws a UserError where both are asked for.
 */
export function askedTime(
  { day, until }: { day?: string | undefined; until?: Instant | undefined },
  stores: readonly { zone?: string | null }[],
): { since?: Instant; until: Instant | null } {
  if (day === undefined) return { until: until ?? null }
  if (until !== undefined) throw new UserError('Ask for day or for until, not for both.')
  const zones = new Set(stores.length > 0 ? stores.map(({ zone }) => zone ?? null) : [null])
  const ranges = [...zones].map((zone) => dayRange(day, zone))
  return { since: Math.min(...ranges.map(({ from }) => from)), until: Math.max(...ranges.map(({ to }) => to)) }
}
