import type { Config } from '../config/config.ts'
import { wantedIds } from '../jobs/subscriptions/decide.ts'
import { knownSubscriptions } from '../jobs/subscriptions/known.ts'
import { keptKinds } from '../jobs/subscriptions/subscriptions.ts'
import type { Platform } from '../platform/platform.ts'
import type { ReadWantedLogs } from '../store/read-completeness.ts'
import type { Store } from '../store/store.ts'

/**
 * Says which logs are to be looked through by a config: of the kinds that it subscribes to, and of those that are compared by facts.
 * Where nobody knows whether the platform shows subscriptions at all, a kind that the facts can prove needs no log, unless the id of its
 * subscription is known.
 */
export function createWantedLogs(
  { server, platform: asked }: Pick<Config, 'server' | 'platform'>,
  store: Pick<Store, 'jobs' | 'stores'>,
  platform: Pick<Platform, 'operations'> | null,
): ReadWantedLogs {
  const { kinds: wanted, stores: named } = asked.webhooks
  if (platform === null || server.publicUrl === undefined) return async () => []
  return async (marks) => {
    const kinds = wanted === 'all' ? await keptKinds(store) : (wanted ?? [])
    const byFacts = marks.filter(({ level }) => level === 'facts').map(({ kind }) => kind)
    const hasList = await platform.operations.isProven('webhooks.list')
    const byId = hasList ? [] : (await knownSubscriptions(store, asked.webhooks.ids)).map(({ kind }) => kind)
    const stores = await storesOf()
    return [...new Set([...kinds, ...byFacts])]
      .filter((kind) => hasList || byId.includes(kind) || !byFacts.includes(kind))
      .flatMap((kind) => (kinds.includes(kind) ? stores : [undefined]).map((storeId) => ({ kind, storeId })))
  }

  /** The stores that each kind is for; undefined: a limit that somebody set stays, or config names one that is not known. */
  async function storesOf(): Promise<readonly (string | null | undefined)[]> {
    if (named === undefined) return [undefined]
    if (named === 'all') return [null]
    return wantedIds(named, await store.stores()) ?? [undefined]
  }
}
