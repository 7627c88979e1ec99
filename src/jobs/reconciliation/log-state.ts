import { z } from 'zod'
import { RETENTION } from '../../domain/completeness/horizon.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Storage } from '../../storage/storage.ts'
import type { OwnSubscription } from '../subscriptions/decide.ts'

const Scanned = z.object({
  /** Begin of the proof by its log. Null: never scanned. */
  from: z.number().nullable(),
  /** Kind and name of its webhooks, in case its address is changed by others. */
  kind: z.string().nullable().default(null),
  name: z.string().nullable().default(null),
  /** Null: all stores. */
  storeId: z.string().nullable(),
  /** Since when it is for these stores; before, for fewer. Null: always. */
  widenedAt: z.number().nullable().default(null),
  /** The log did not reach back to where the scan should have begun. */
  expired: z.boolean(),
  /** Newest record before the unscanned time: while the log shows it, it reaches back to it. */
  marker: z.object({ id: z.string(), at: z.number() }).nullable(),
})
export type Scanned = z.output<typeof Scanned>

export const NEVER_SCANNED: Omit<Scanned, 'storeId'> = {
  kind: null,
  name: null,
  from: null,
  widenedAt: null,
  expired: false,
  marker: null,
}

export type LogState = z.output<typeof State>

const State = z.object({
  /** How far the log's clock is ahead (ms). */
  ahead: z.object({ by: z.number(), at: z.number() }).nullable().default(null),
  /** The log answers for the queried range alone, by the clock of its records. Null: not known yet. */
  sameClock: z.boolean().nullable().default(null),
  /** Largest answer so far. */
  largest: z.number().default(0),
  lookedBackAt: z.number().nullable().default(null),
  scanned: z.record(z.string(), Scanned),
})

export function readLogState(state: unknown): LogState {
  return State.safeParse(state).data ?? State.parse({ scanned: {} })
}

/** Records this close to the end of the log's retention may be deleted (ms). */
const MARGIN = 3_600_000

/** Uncovers time in the future: the clock was ahead when it was written. The log is read again from its newest known record on. */
export async function cutBack(
  { webhookId, kind, storeId }: OwnSubscription,
  { scanned: all }: LogState,
  now: Instant,
  storage: Pick<Storage, 'covered' | 'saveReconciliation'>,
): Promise<void> {
  const scanned = all[webhookId]
  if (scanned === undefined || scanned.from === null) return
  const { from, marker } = scanned
  const scopes = [webhookId, `${kind}/${storeId ?? ''}`]
  const ends = await Promise.all(scopes.map(async (scope) => (await storage.covered('log', scope)).at(-1)?.to ?? 0))
  if (from <= now && ends.every((end) => end <= now)) return
  const shown = marker === null || marker.at > now ? from : marker.at
  const cut = Math.min(Math.max(shown, now - RETENTION + MARGIN), now)
  await storage.saveReconciliation({ uncovered: scopes.map((scope) => ({ source: 'log', scope, from: cut })) }, now)
  // Scan as if for the first time.
  if (from > now) Object.assign(scanned, { ...NEVER_SCANNED, kind, storeId })
}

/** Share of the platform's rate for each of the two reconciliation jobs. */
export const SHARE = 0.1
