import type { Instant } from '../../domain/values/instant.ts'
import type { Store } from '../store.ts'

/** Deleted ones included; 0: none. */
export async function lastBefore(store: Pick<Store, 'nextReceived' | 'events'>, instant: Instant): Promise<number> {
  let [low, high] = [0, (await store.events({ limit: 1 }))[0]?.id ?? 0]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const next = await store.nextReceived(middle)
    if (next !== null && next.receivedAt < instant && next.id <= high) low = next.id
    else high = middle
  }
  return low
}
