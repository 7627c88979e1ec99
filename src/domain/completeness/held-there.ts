import { z } from 'zod'
import { isLoss } from './completeness.ts'
import { coversStore, type OldestGap } from './gap.ts'
import { DayCount } from './reconciled.ts'

/** A destination as last asked what it has. */
export type DestinationReconciliation = z.output<typeof DestinationReconciliation>

export const DestinationReconciliation = z.object({
  /** Why it cannot be asked. */
  cannot: z.string().nullable(),
  /** Why the last run did not finish. */
  problem: z.string().nullable(),
  /** Last complete answer. */
  askedAt: z.number().nullable(),
  /** Receipt times that were asked for. */
  from: z.number().nullable(),
  until: z.number().nullable(),
  /** Steps of that time that are pending, dead or too young. */
  open: z.number(),
  days: z.array(DayCount),
})

export const NEVER_RECONCILED: DestinationReconciliation = {
  ...{ cannot: null, problem: null, askedAt: null, from: null, until: null },
  ...{ open: 0, days: [] },
}

interface DestinationVerdict {
  verdict: 'gaps' | 'unknown'
  gaps: number
}

/** Judges the open gaps of destinations, by name. Pure. */
export function destinationVerdicts(
  oldest: readonly OldestGap[],
  { until, storeId }: { until: number | null; storeId: string | null },
): Map<string, DestinationVerdict> {
  const counts = oldest.filter(
    (gap) => (storeId === null || coversStore(gap, storeId)) && (until === null || gap.at < until),
  )
  return new Map(
    [...Map.groupBy(counts, ({ destination }) => destination ?? '')].map(([name, gaps]) => [
      name,
      { verdict: gaps.some(isLoss) ? 'gaps' : 'unknown', gaps: gaps.reduce((sum, { count }) => sum + count, 0) },
    ]),
  )
}

/** `unknown`: not asked for all of that time, or it could tell of nothing. */
export interface DestinationCompleteness extends DestinationReconciliation {
  name: string
  verdict: 'proven' | DestinationVerdict['verdict']
  gaps: number
}

/** Destinations are asked once a night (ms). */
const LATELY = 2 * 86_400_000

/** Each destination with its open gaps. Pure. */
export function destinationCompleteness(
  seen: Readonly<Record<string, DestinationReconciliation>>,
  held: ReadonlyMap<string, DestinationVerdict>,
  { until, now }: { until: number | null; now: number },
): DestinationCompleteness[] {
  const names = [...new Set([...Object.keys(seen), ...held.keys()])].sort()
  return names.map((name) => {
    const one = seen[name] ?? NEVER_RECONCILED
    const upTo = until ?? now - LATELY
    const isAsked = one.from !== null && one.until !== null && one.from < upTo && one.until >= upTo
    // Of fetched files, for example, it is not known.
    const tells = one.days.length === 0 || one.days.some(({ given, unknown }) => unknown < given)
    return { ...one, name, gaps: 0, verdict: isAsked && tells ? 'proven' : 'unknown', ...held.get(name) }
  })
}
