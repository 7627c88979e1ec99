import { RETENTION } from '../../domain/ledger/horizon.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Store } from '../../store/store.ts'
import type { OwnSubscription } from '../subscriptions/known.ts'
import { type LedgerState, NEVER_SWEPT } from './ledger-state.ts'
import { lookedUpTo, wasAhead } from './runs.ts'

/** The log is taken to tell of a time until so long before it has gone from it (milliseconds). */
const MARGIN = 3_600_000

/**
 * Takes back what counts as looked through although it is still to come: the clock was ahead when that was written. The log was
 * read up to the bound of the last sweep whose clock was right. Where nobody remembers one, as much of it is read again as it still
 * tells, but no more than what came after the newest record that it showed.
 */
export async function cutBack(
  { webhookId, kind, storeId }: OwnSubscription,
  { swept: all, runs }: LedgerState,
  now: Instant,
  store: Pick<Store, 'covered' | 'saveLedger'>,
): Promise<void> {
  const swept = all[webhookId]
  if (swept === undefined || swept.from === null) return
  const { from, marker } = swept
  const isAhead = async (scope: string) => ((await store.covered('log', scope)).at(-1)?.to ?? now) > now
  const scopes = [webhookId, `${kind}/${storeId ?? ''}`]
  const ahead = await Promise.all(scopes.map(isAhead))
  if (from <= now && !wasAhead(runs, now) && !ahead.includes(true)) return
  const shown = marker === null || marker.at > now ? from : marker.at
  const readTo = lookedUpTo(runs, now) ?? Math.max(shown, now - RETENTION + MARGIN)
  const cut = Math.min(readTo, now)
  await store.saveLedger({ uncovered: scopes.map((scope) => ({ road: 'log', scope, from: cut })) }, now)
  // Without an instant that is over, the log is looked through as if for the first time.
  if (from > now) Object.assign(swept, { ...NEVER_SWEPT, kind, storeId })
}
