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
