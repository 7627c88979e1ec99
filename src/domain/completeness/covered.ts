import type { Instant } from '../values/instant.ts'
import type { ReconciliationSource } from './causes.ts'

/** Half open: `to` is not in it. */
export interface Range {
  from: Instant
  to: Instant
}

/** Fully searched. `scope`: a subscription, a kind or a POS. */
export interface CoveredChange extends Range {
  source: ReconciliationSource
  scope: string
}

/** Wrongly taken for searched from an instant on: a clock was ahead. */
export type UncoveredChange = Omit<CoveredChange, 'to'>

export function covers(ranges: readonly Range[], { from, to }: Range): boolean {
  return from >= to || ranges.some((range) => range.from <= from && range.to >= to)
}

/** The end of what is covered from an instant on; the instant itself if nothing is. */
export function coveredUntil(ranges: readonly Range[], from: Instant): Instant {
  return ranges.find((range) => range.from <= from && range.to > from)?.to ?? from
}

/** Adds to ordered ranges that do not touch. */
export function add(ranges: readonly Range[], { from, to }: Range): Range[] {
  if (from >= to) return [...ranges]
  const touched = ranges.filter((range) => range.to >= from && range.from <= to)
  return [
    ...ranges.filter((range) => range.to < from),
    { from: Math.min(from, ...touched.map((one) => one.from)), to: Math.max(to, ...touched.map((one) => one.to)) },
    ...ranges.filter((range) => range.from > to),
  ]
}

/** Ranges in any order. */
export function merged(ranges: readonly Range[]): Range[] {
  return ranges.reduce(add, [])
}

export function intersected(a: readonly Range[], b: readonly Range[]): Range[] {
  return a.flatMap((one) =>
    b.flatMap((other) => {
      const from = Math.max(one.from, other.from)
      const to = Math.min(one.to, other.to)
      return from < to ? [{ from, to }] : []
    }),
  )
}
