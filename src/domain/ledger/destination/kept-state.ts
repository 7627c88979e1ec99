import { z } from 'zod'
import type { Instant } from '../../values/instant.ts'
import { parseDecimal } from '../../values/money.ts'
import type { DayCount } from './day-counts.ts'
import type { DestinationSeen } from './destination-seen.ts'

const Decimal = z.string().transform((text) => parseDecimal(text))

const Day = z.object({
  day: z.string(),
  flow: z.string(),
  currency: z.string().nullable(),
  given: z.number(),
  there: z.number(),
  unknown: z.number(),
  givenSum: Decimal,
  thereSum: Decimal,
}) satisfies z.ZodType<DayCount>

const Seen = z.object({
  cannot: z.string().nullable(),
  problem: z.string().nullable(),
  askedAt: z.number().nullable(),
  from: z.number().nullable(),
  until: z.number().nullable(),
  open: z.number(),
  days: z.array(Day),
}) satisfies z.ZodType<DestinationSeen>

const State = z.object({
  /** Events that were the newest when runs began: whoever looks back begins there, and reads nothing that is older. */
  marks: z.array(z.object({ at: z.number(), id: z.number() })),
  destinations: z.record(z.string(), Seen),
})

/** The job's memory between its runs. */
export type DestinationsState = z.output<typeof State>

/** Reads what was left; what cannot be read is begun anew. */
export function readDestinationsState(state: unknown): DestinationsState {
  return State.safeParse(state).data ?? { marks: [], destinations: {} }
}

const HOUR = 3_600_000

/** The event behind which everything is that came since then; null: no run was at work by then. Clocks of hubs may differ. */
export function markBefore({ marks }: Pick<DestinationsState, 'marks'>, since: Instant): number | null {
  const before = marks.filter(({ at }) => at <= since - HOUR)
  return before.length === 0 ? null : Math.max(...before.map(({ id }) => id))
}

/** The marks with one more; of those that nobody looks back to, the newest stays. */
export function withMark(
  { marks }: Pick<DestinationsState, 'marks'>,
  mark: { at: Instant; id: number },
  since: Instant,
) {
  const start = markBefore({ marks }, since) ?? 0
  return [...marks.filter(({ id }) => id >= start), mark]
}
