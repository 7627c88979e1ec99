import { dayAfter } from '../../values/day.ts'
import type { Instant } from '../../values/instant.ts'
import type { Range } from '../covered.ts'
import { merged } from '../merged.ts'
import type { Fact } from './fact.ts'
import { beginningOf } from './wall-clock.ts'

type Times = Pick<Fact, 'earliest' | 'latest'>

/** The facts that a frozen bound lets be judged, and up to where nothing is left that it does not. */
export interface Judged<F> {
  judged: F[]
  provenTo: Instant
}

/**
 * The facts that arose in [from, bound), as far as their clocks tell: the others are too young, or of before anybody watched. One
 * that may be older or younger than the bound is not judged, and nothing from it on is proven; but where that has been said to be
 * proven already (`until`), it is judged at once.
 */
export function judgedBy<F extends Times>(
  facts: readonly F[],
  { from, to: bound }: Range,
  until: Instant = from,
): Judged<F> {
  const judged: F[] = []
  let provenTo = bound
  for (const fact of facts) {
    const { earliest, latest } = fact
    if (latest >= bound && earliest >= until) provenTo = Math.min(provenTo, earliest)
    else if (latest >= from) judged.push(fact)
  }
  return { judged, provenTo }
}

/**
 * The stretches that days prove which were read to their end, in stores of these zones: from where the first of a row of days has
 * begun in all of them to where the day after the last begins in one; never past `provenTo`.
 */
export function provenBy(days: readonly string[], zones: readonly string[], provenTo: Instant): Range[] {
  const rows: { first: string; last: string }[] = []
  for (const day of [...new Set(days)].sort()) {
    const row = rows.at(-1)
    if (row !== undefined && dayAfter(row.last) === day) row.last = day
    else rows.push({ first: day, last: day })
  }
  const ranges = rows.map(({ first, last }) => ({
    from: beginningOf(first, zones).all,
    to: Math.min(provenTo, beginningOf(dayAfter(last), zones).first),
  }))
  return merged(ranges.filter(({ from, to }) => from < to))
}
