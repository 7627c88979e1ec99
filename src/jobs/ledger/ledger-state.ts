import { z } from 'zod'
import { NO_LATENESSES } from '../../domain/ledger/lag.ts'

/** A subscription as the ledger remembers it. */
const Swept = z.object({
  /** From here on its log can prove anything: it stood by then. Null: it has never been swept. */
  from: z.number().nullable(),
  /** A stretch that begins where the log did when it was asked too late: what lies before had gone from it. */
  expired: z.boolean(),
  /** The newest record that was looked at: while the log shows it, it reaches back to it. */
  marker: z.object({ id: z.string(), at: z.number() }).nullable(),
})
export type Swept = z.output<typeof Swept>

/** The job's memory between its runs; what was looked through is in the store. */
export type LedgerState = z.output<typeof State>

const State = z.object({
  latenesses: z.array(z.number()),
  /** The log reads what it is asked by the clock that it writes by; null: not known yet. */
  sameClock: z.boolean().nullable().default(null),
  /** When all of the day before was last looked at again; null: never. */
  lookedBackAt: z.number().nullable().default(null),
  /** By subscription. */
  swept: z.record(z.string(), Swept),
})

/** Reads what was left; what cannot be read is begun anew. */
export function readLedgerState(state: unknown): LedgerState {
  return (
    State.safeParse(state).data ?? { latenesses: [...NO_LATENESSES], sameClock: null, lookedBackAt: null, swept: {} }
  )
}
