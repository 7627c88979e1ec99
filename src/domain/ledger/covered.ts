import type { Instant } from '../values/instant.ts'
import type { Road } from './causes.ts'

/** A stretch of time: `from` is in it, `to` is not. */
export interface Range {
  from: Instant
  to: Instant
}

/** A stretch that a road has looked through to its end. `scope` names what it looked at: a subscription, a kind, a till. */
export interface CoveredChange extends Range {
  road: Road
  scope: string
}

/** A stretch without an end that was taken for looked through, and was not: a clock was ahead. */
export interface UncoveredChange {
  road: Road
  scope: string
  from: Instant
}

/** Whether all of a stretch is covered. */
export function covers(ranges: readonly Range[], { from, to }: Range): boolean {
  return from >= to || ranges.some((range) => range.from <= from && range.to >= to)
}

/** Up to where everything from an instant on is covered; the instant itself where nothing is. */
export function coveredUntil(ranges: readonly Range[], from: Instant): Instant {
  return ranges.find((range) => range.from <= from && range.to > from)?.to ?? from
}

/** The parts of a stretch that are not covered, in order. */
export function holesIn(ranges: readonly Range[], { from, to }: Range): Range[] {
  const holes: Range[] = []
  let at = from
  for (const range of ranges) {
    if (range.to <= at) continue
    if (range.from >= to) break
    if (range.from > at) holes.push({ from: at, to: range.from })
    at = range.to
  }
  if (at < to) holes.push({ from: at, to })
  return holes
}

/** Adds a range to ranges that are in order and do not touch; so are those that are given back. An empty one adds nothing. */
export function add(ranges: readonly Range[], { from, to }: Range): Range[] {
  if (from >= to) return [...ranges]
  const before = ranges.filter((range) => range.to < from)
  const after = ranges.filter((range) => range.from > to)
  const touched = ranges.filter((range) => range.to >= from && range.from <= to)
  const merged = touched.reduce(
    (one, range) => ({ from: Math.min(one.from, range.from), to: Math.max(one.to, range.to) }),
    { from, to },
  )
  return [...before, merged, ...after]
}

/** Ranges in any order, merged. */
export function merged(ranges: readonly Range[]): Range[] {
  return ranges.reduce(add, [])
}

/** What both cover. */
export function intersected(a: readonly Range[], b: readonly Range[]): Range[] {
  return a.flatMap((one) =>
    b.flatMap((other) => {
      const from = Math.max(one.from, other.from)
      const to = Math.min(one.to, other.to)
      return from < to ? [{ from, to }] : []
    }),
  )
}
