import { PLATFORM } from '../../domain/queue/event.ts'
import type { Store } from '../store.ts'

/** With more open gaps nothing is pruned. */
export const MOST_GAPS = 20_000

const AT_ONCE = 500

/** By the webhook's event id or the identity; null: too many gaps. */
export async function namedByGaps(store: Pick<Store, 'openGapKeys' | 'known'>): Promise<Set<number> | null> {
  const keys = await store.openGapKeys(MOST_GAPS + 1)
  if (keys.length > MOST_GAPS) return null
  const named = new Set<number>()
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const subjects = keys.slice(from, from + AT_ONCE).map((key) => key.split('/').map(decodeURIComponent))
    const told = subjects.flatMap(([, , kind = '', subject = '']) => [
      { kind, origin: PLATFORM, transportKey: subject, identity: null, bodyHash: '' },
      { kind, origin: PLATFORM, transportKey: null, identity: subject, bodyHash: '' },
    ])
    for (const event of await store.known(told)) if (event !== null) named.add(event.id)
  }
  return named
}
