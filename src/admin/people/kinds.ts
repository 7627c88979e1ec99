import type { PersonalRow } from '../../store/people/personal-row.ts'
import type { Store } from '../../store/store.ts'

/** The kinds of the events that rows are of, each asked for once: some say that a payload is one person's as a whole. */
export function createKinds(store: Pick<Store, 'events'>, known: Iterable<readonly [number, string]> = []) {
  const kinds = new Map(known)
  return async (rows: readonly PersonalRow[]): Promise<ReadonlyMap<number | null, string>> => {
    for (const { event } of rows) {
      if (event === null || kinds.has(event)) continue
      const [row] = await store.events({ id: event })
      kinds.set(event, row?.kind ?? '')
    }
    return kinds
  }
}
