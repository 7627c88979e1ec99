import { UserError } from '../values/errors.ts'
import { dayAfter, type Instant } from '../values/instant.ts'
import { toInstant } from '../values/store-time.ts'

/** Half open: `to` is not in it. */
export interface Range {
  from: Instant
  to: Instant
}

export function covers(ranges: readonly Range[], { from, to }: Range): boolean {
  return from >= to || ranges.some((range) => range.from <= from && range.to >= to)
}

/** The end of what is covered from an instant on; the instant itself if nothing is. */
export function coveredUntil(ranges: readonly Range[], from: Instant): Instant {
  return ranges.find((range) => range.from <= from && range.to > from)?.to ?? from
}

/** Adds to ordered ranges that do not touch. */
export function addRange(ranges: readonly Range[], { from, to }: Range): Range[] {
  if (from >= to) return [...ranges]
  const touched = ranges.filter((range) => range.to >= from && range.from <= to)
  return [
    ...ranges.filter((range) => range.to < from),
    { from: Math.min(from, ...touched.map((one) => one.from)), to: Math.max(to, ...touched.map((one) => one.to)) },
    ...ranges.filter((range) => range.from > to),
  ]
}

/** Ranges in any order. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  return ranges.reduce(addRange, [])
}

export function intersectRanges(a: readonly Range[], b: readonly Range[]): Range[] {
  return a.flatMap((one) =>
    b.flatMap((other) => {
      const from = Math.max(one.from, other.from)
      const to = Math.min(one.to, other.to)
      return from < to ? [{ from, to }] : []
    }),
  )
}

const HOUR = 3_600_000

/** A day (`yyyy-mm-dd`) by the store's clock; zone null: the 50 hours in which it is that day somewhere. */
export function dayRange(day: string, zone: string | null): Range {
  const next = dayAfter(day)
  if (zone === null) return { from: Date.parse(day) - 14 * HOUR, to: Date.parse(next) + 12 * HOUR }
  return { from: toInstant(`${day}T00:00:00`, zone), to: toInstant(`${next}T00:00:00`, zone) }
}

/** The time of a question: a day in these stores, or everything until an instant. Throws a UserError for both. */
export function requestedRange(
  { day, until }: { day?: string | undefined; until?: Instant | undefined },
  stores: readonly { zone?: string | null }[],
): { since?: Instant; until: Instant | null } {
  if (day === undefined) return { until: until ?? null }
  if (until !== undefined) throw new UserError('Ask for day or for until, not for both.')
  const zones = new Set(stores.length > 0 ? stores.map(({ zone }) => zone ?? null) : [null])
  const ranges = [...zones].map((zone) => dayRange(day, zone))
  return { since: Math.min(...ranges.map(({ from }) => from)), until: Math.max(...ranges.map(({ to }) => to)) }
}
