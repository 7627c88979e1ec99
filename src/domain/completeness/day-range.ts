import { UserError } from '../values/errors.ts'
import { dayAfter, type Instant } from '../values/instant.ts'
import { toInstant } from '../values/store-time.ts'
import type { Range } from './covered.ts'

const HOUR = 3_600_000

/** A day (`yyyy-mm-dd`) by the store's clock; zone null: the 50 hours in which it is that day somewhere. */
export function dayRange(day: string, zone: string | null): Range {
  const next = dayAfter(day)
  if (zone === null) return { from: Date.parse(day) - 14 * HOUR, to: Date.parse(next) + 12 * HOUR }
  return { from: toInstant(`${day}T00:00:00`, zone), to: toInstant(`${next}T00:00:00`, zone) }
}

/** The time of a question: a day in these stores, or everything until an instant. Throws a UserError for both. */
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
