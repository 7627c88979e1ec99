import { z } from 'zod'
import type { DestinationSeen } from '../../domain/ledger/destination/held-there.ts'
import type { DayCount } from '../../domain/ledger/destination/tallied.ts'
import { parseDecimal } from '../../domain/values/money.ts'

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
  destinations: z.record(z.string(), Seen),
})

/** The job's memory between runs. */
export type DestinationsState = z.output<typeof State>

/** Unreadable state starts anew. */
export function readDestinationsState(state: unknown): DestinationsState {
  return State.safeParse(state).data ?? { destinations: {} }
}
