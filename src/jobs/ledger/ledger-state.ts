import { z } from 'zod'
import { RETENTION } from '../../domain/ledger/horizon.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Store } from '../../store/store.ts'
import type { OwnSubscription } from '../subscriptions/known.ts'

const Swept = z.object({
  /** From here on its log can prove anything: it stood by then. Null: it has never been swept. */
  from: z.number().nullable(),
  /** What its webhooks came as: its log is still read where somebody has bent its address. */
  kind: z.string().nullable().default(null),
  name: z.string().nullable().default(null),
  /** The store that it was for when it was last swept; null: all of them. */
  storeId: z.string().nullable(),
  /** From here on it is for these stores: before, it could tell of fewer. Null: as long as it stood. */
  widenedAt: z.number().nullable().default(null),
  /** A stretch that begins where the log did when it was asked too late: what lies before had gone from it. */
  expired: z.boolean(),
  /** The newest record before which nothing is left to look at: while the log shows it, it reaches back to it. */
  marker: z.object({ id: z.string(), at: z.number() }).nullable(),
})
export type Swept = z.output<typeof Swept>

export const NEVER_SWEPT: Omit<Swept, 'storeId'> = {
  kind: null,
  name: null,
  from: null,
  widenedAt: null,
  expired: false,
  marker: null,
}

export type LedgerState = z.output<typeof State>

const State = z.object({
  /** How far ahead of the hub's clock the log writes; null: not known yet. */
  ahead: z.object({ by: z.number(), at: z.number() }).nullable().default(null),
  /** The log reads what it is asked by the clock that it writes by; null: not known yet. */
  sameClock: z.boolean().nullable().default(null),
  /** How many records an answer of the log has held, at most. */
  largest: z.number().default(0),
  /** When all of the day before was last looked at again; null: never. */
  lookedBackAt: z.number().nullable().default(null),
  swept: z.record(z.string(), Swept),
})

export function readLedgerState(state: unknown): LedgerState {
  return State.safeParse(state).data ?? State.parse({ swept: {} })
}

/** The log is taken to tell of a time until so long before it has gone from it (milliseconds). */
const MARGIN = 3_600_000

/**
 * Takes back what counts as looked through although it is still to come: the clock was ahead when that was written. As much of the log is
 * read again as it still tells, but no more than what came after the newest record that it showed.
 */
export async function cutBack(
  { webhookId, kind, storeId }: OwnSubscription,
  { swept: all }: LedgerState,
  now: Instant,
  store: Pick<Store, 'covered' | 'saveLedger'>,
): Promise<void> {
  const swept = all[webhookId]
  if (swept === undefined || swept.from === null) return
  const { from, marker } = swept
  const scopes = [webhookId, `${kind}/${storeId ?? ''}`]
  const ends = await Promise.all(scopes.map(async (scope) => (await store.covered('log', scope)).at(-1)?.to ?? 0))
  if (from <= now && ends.every((end) => end <= now)) return
  const shown = marker === null || marker.at > now ? from : marker.at
  const cut = Math.min(Math.max(shown, now - RETENTION + MARGIN), now)
  await store.saveLedger({ uncovered: scopes.map((scope) => ({ road: 'log', scope, from: cut })) }, now)
  // Without an instant that is over, the log is looked through as if for the first time.
  if (from > now) Object.assign(swept, { ...NEVER_SWEPT, kind, storeId })
}

/** The part of the platform's rate that each of the two jobs takes which prove what is here: together a fifth, and the rest is for live traffic. */
export const SHARE = 0.1
