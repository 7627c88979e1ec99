import { PLATFORM } from '../../domain/queue/event.ts'
import type { Store } from '../store.ts'

/** With more open gaps than this nothing is pruned: somebody has to look first. */
export const MOST_GAPS = 20_000

/** Subjects that are looked up at once. */
const AT_ONCE = 500

/**
 * The events that open gaps name: by their webhook's event id, or by their identity. Null: more gaps are open than can be looked
 * through.
 */
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
