import type { Instant } from '../../values/instant.ts'
import type { DayCount } from './day-counts.ts'

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
