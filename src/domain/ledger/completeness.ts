import type { Instant } from '../values/instant.ts'
import { CAUSES } from './causes.ts'
import { coversStore, type OldestGap } from './gap.ts'
import { type Level, NEVER, type Watermark } from './watermark.ts'

/**
 * `gaps`: something is missing. `unknown`: nobody has looked, or not lately enough, or what was found says no more than that a
 * person has to explain it.
 */
export type Verdict = 'proven' | 'gaps' | 'unknown'

/** A watermark, and what is to be thought of it. */
export interface Completeness extends Watermark {
  verdict: Verdict
  /** How many open gaps hold it up. */
  gaps: number
  /** Nobody has looked through it yet. */
  neverSwept: boolean
}

/** What was asked: is everything here until then? */
interface Asked {
  /** Null: until lately. */
  until: Instant | null
  storeId: string | null
  now: Instant
  /** How late events are known to be: a watermark stays so far behind (milliseconds). Nothing, if nobody says. */
  lag?: number
}

const HOUR = 3_600_000

/**
 * Watermarks that are further behind are stale: a sweep comes every half hour, and stays behind by its lag. A till tells nothing
 * before it is closed, and a shop may be closed over a weekend.
 */
const LATELY: Readonly<Record<Level, number>> = { log: 2 * HOUR, facts: 2 * HOUR, till: 72 * HOUR }

/** Judges every watermark that a question is about. `oldest`: the open gaps of each level's road. Pure. */
export function completenessOf(
  watermarks: readonly Watermark[],
  oldest: Readonly<Partial<Record<Level, readonly OldestGap[]>>>,
  { until, storeId, now, lag = 0 }: Asked,
): Completeness[] {
  return watermarks
    .filter((one) => storeId === null || one.storeId === null || one.storeId === storeId)
    .map((mark) => {
      const held = (oldest[mark.level] ?? []).filter(
        (gap) => (gap.kind === null || gap.kind === mark.kind) && coversStore(gap, mark.storeId),
      )
      const upTo = until ?? now - LATELY[mark.level] - lag
      const isBehind = mark.until < upTo
      const counts = held.filter((gap) => until === null || gap.at < until)
      const gaps = counts.reduce((sum, { count }) => sum + count, 0)
      const isLoss = counts.some(({ cause }) => CAUSES[cause].class === 'loss')
      const verdict = isLoss ? 'gaps' : isBehind || gaps > 0 ? 'unknown' : 'proven'
      return { ...mark, verdict, gaps, neverSwept: mark.until === NEVER }
    })
}

/** The verdict on all of it: one gap is enough; where nobody has looked, nobody knows. */
export function verdictOf(all: readonly Pick<Completeness, 'verdict'>[]): Verdict {
  if (all.some(({ verdict }) => verdict === 'gaps')) return 'gaps'
  return all.length === 0 || all.some(({ verdict }) => verdict === 'unknown') ? 'unknown' : 'proven'
}
