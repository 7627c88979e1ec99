import { dayAfter } from '../../values/day.ts'
import type { Instant } from '../../values/instant.ts'
import type { Range } from '../covered.ts'
import { merged } from '../covered.ts'
import type { Fact } from './fact.ts'
import { beginningOf } from './wall-clock.ts'

type Times = Pick<Fact, 'earliest' | 'latest'>

/** As long as an hour that comes twice may be meant (milliseconds); of a store whose zone nobody knows, more than a day is. */
const HOUR = 3_600_000

/**
 * Whether a record that may be older or younger than the bound holds up the proof: nothing from it on is proven. One that is here
 * lacks nothing. Where that has been said to be proven already (`until`), it is judged at once; where its clock may be any, once it was
 * there at the run before: its event has had its time.
 */
export function holdsUp(
  { earliest, latest }: Times,
  isHere: boolean,
  { until, wasThere }: { until: Instant; wasThere: boolean },
) {
  return !isHere && !(earliest < until && (wasThere || latest - earliest <= HOUR))
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
