import type { Instant } from '../../domain/values/instant.ts'
import type { Store } from '../../store/store.ts'
import type { OwnSubscription } from '../subscriptions/list-ours.ts'
import { NEVER_SWEPT, type Swept } from './ledger-state.ts'

/**
 * Takes back what counts as looked through although it is still to come: the clock was ahead when that was written. The log was
 * read up to the newest record that it showed then; without one, up to nowhere.
 */
export async function cutBack(
  { webhookId, kind, storeId }: OwnSubscription,
  swept: Swept,
  now: Instant,
  store: Pick<Store, 'covered' | 'saveLedger'>,
): Promise<void> {
  const isAhead = async (scope: string) => ((await store.covered('log', scope)).at(-1)?.to ?? now) > now
  const scopes = [webhookId, `${kind}/${storeId ?? ''}`]
  const ahead = await Promise.all(scopes.map(isAhead))
  if ((swept.from ?? now) <= now && !ahead.includes(true)) return
  const { from, marker } = swept
  // Without a record that is over, the log is looked through as if for the first time.
  const readTo = marker === null || marker.at > now ? Math.min(from ?? now, now) : marker.at
  await store.saveLedger({ uncovered: scopes.map((scope) => ({ road: 'log', scope, from: readTo })) }, now)
  if ((from ?? now) > now) Object.assign(swept, NEVER_SWEPT)
}
