import { NEVER, type Watermark } from '../../../domain/ledger/watermark.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { listOurs, type OwnSources, type OwnSubscription } from '../../subscriptions/known.ts'

export type SubscribedByConfig = 'all' | readonly string[] | undefined

export interface Subscribed {
  isFor(kind: string): boolean
  watches(kind: string, storeId: string | null): boolean
  /** Null among them: all. */
  places(kind: string): (string | null)[]
  aside: number
}

/** Own subscriptions; from config where the platform has no list. `had`: the last run found some. */
export async function readSubscribed(
  sources: OwnSources,
  byConfig: SubscribedByConfig,
  { had, signal }: { had: boolean; signal: AbortSignal },
): Promise<Subscribed> {
  try {
    const { ours, aside, isListed } = await listOurs(sources, signal, had)
    // Ids need not be known of all that config subscribes to.
    return isListed || aside > 0 || byConfig === undefined ? { ...byList(ours), aside } : asConfigured(byConfig)
  } catch (error) {
    if (!(error instanceof PermanentError && NO_LIST.includes(error.code)) || byConfig === undefined) throw error
    return asConfigured(byConfig)
  }
}

const NO_LIST = ['http-404', 'no-subscription-ids']

function asConfigured(byConfig: 'all' | readonly string[]): Subscribed {
  const isFor = (kind: string) => byConfig === 'all' || byConfig.includes(kind)
  return { isFor, watches: isFor, places: (kind) => (isFor(kind) ? [null] : []), aside: 0 }
}

function byList(ours: readonly OwnSubscription[]): Omit<Subscribed, 'aside'> {
  const places = new Map<string, Set<string | null>>()
  for (const { kind, storeId } of ours) places.set(kind, (places.get(kind) ?? new Set()).add(storeId))
  return {
    isFor: (kind) => places.has(kind),
    places: (kind) => [...(places.get(kind) ?? [])],
    watches: (kind, storeId) =>
      places.get(kind)?.has(null) === true || (storeId !== null && places.get(kind)?.has(storeId) === true),
  }
}

/** Since when subscriptions to a kind cover all their stores; null: its log was not scanned. */
export function stoodFrom(marks: readonly Watermark[], kind: string): Instant | null {
  const ofKind = marks.filter((one) => one.level === 'log' && one.kind === kind && one.until !== NEVER)
  const ofAll = ofKind.find(({ storeId }) => storeId === null)
  if (ofAll !== undefined) return ofAll.from
  return ofKind.length === 0 ? null : Math.max(...ofKind.map(({ from }) => from))
}
