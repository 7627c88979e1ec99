import type { Instant } from '../../values/instant.ts'
import { CAUSES } from '../causes.ts'
import { coversStore, type OldestGap } from '../gap.ts'
import type { DayCount } from './tallied.ts'

/** A destination, as it was last asked what it has. */
export interface DestinationSeen {
  /** Why it cannot be asked; null: it can. */
  cannot: string | null
  /** What kept it from being asked to the end; null: nothing did. */
  problem: string | null
  /** When it last told all of it; null: never. */
  askedAt: Instant | null
  /** The destination was asked for everything that came here between these; null: never. */
  from: Instant | null
  until: Instant | null
  /** Steps of that time that it is owed, or that are dead, or too young to be asked for. */
  open: number
  /** Both sides, day by day. */
  days: DayCount[]
}

export const NEVER_ASKED: DestinationSeen = {
  ...{ cannot: null, problem: null, askedAt: null, from: null, until: null },
  ...{ open: 0, days: [] },
}

/** What a destination's open gaps say: something is missing there, or a person has to explain something. */
export interface HeldThere {
  verdict: 'gaps' | 'unknown'
  gaps: number
}

/** Judges the open gaps of destinations, by name; one that has none is not among them. `oldest`: those of the road `destination`. Pure. */
export function heldThere(
  oldest: readonly OldestGap[],
  { until, storeId }: { until: number | null; storeId: string | null },
): Map<string, HeldThere> {
  const counts = oldest.filter(
    (gap) => (storeId === null || coversStore(gap, storeId)) && (until === null || gap.at < until),
  )
  return new Map(
    [...Map.groupBy(counts, ({ destination }) => destination ?? '')].map(([name, gaps]) => {
      const isLoss = gaps.some(({ cause }) => CAUSES[cause].class === 'loss')
      const count = gaps.reduce((sum, one) => sum + one.count, 0)
      return [name, { verdict: isLoss ? 'gaps' : 'unknown', gaps: count }] as const
    }),
  )
}

/** What is known of a destination's side. `unknown`: nobody could ask it, or not for all of that time, or it could tell of nothing. */
export interface CompleteThere extends DestinationSeen {
  name: string
  verdict: 'proven' | 'gaps' | 'unknown'
  gaps: number
}

const DAY = 86_400_000

/** Destinations are asked once a night. */
const LATELY = 2 * DAY

/** Each destination, as it was last asked, with what its open gaps say. Pure. */
export function completeThere(
  seen: Readonly<Record<string, DestinationSeen>>,
  held: ReadonlyMap<string, HeldThere>,
  { until, now }: { until: number | null; now: number },
): CompleteThere[] {
  const names = [...new Set([...Object.keys(seen), ...held.keys()])].sort()
  return names.map((name) => {
    const one = seen[name] ?? NEVER_ASKED
    const upTo = until ?? now - LATELY
    // Of what came here before `from` it was never asked.
    const isAsked = one.from !== null && one.until !== null && one.from < upTo && one.until >= upTo
    // Files that were all fetched, say: nobody can tell what became of them.
    const tells = one.days.length === 0 || one.days.some(({ given, unknown }) => unknown < given)
    return { ...one, name, gaps: 0, verdict: isAsked && tells ? 'proven' : 'unknown', ...held.get(name) }
  })
}
