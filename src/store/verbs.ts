import type { Audit, Changed, DeliveryFilter, DeliveryRow } from './screens.ts'
import type { Store } from './store.ts'

/** What is asked of a selection first. */
interface Reading {
  matching(which: DeliveryFilter, states: DeliveryRow['state'][]): Promise<Omit<Changed, 'changed'>>
  /** The ids of a selection, oldest first, slice by slice. */
  idsOf(which: DeliveryFilter, states: DeliveryRow['state'][]): AsyncIterable<number[]>
}

/** What is done to a slice of a selection, in one commit; how many were changed. `selection`: as people named it, for the audit. */
interface Apply {
  retry(ids: number[], again: boolean, bulk: boolean, audit: Audit, selection: string): Promise<number>
  skip(ids: number[], audit: Audit, selection: string): Promise<number>
  move(ids: number[], to: string, audit: Audit, selection: string): Promise<number>
}

/** What people do to a selection of deliveries: ids first, in slices, each slice one commit. `changed`: after all of it. */
export function createVerbs(
  reading: Reading,
  apply: Apply,
  changed: () => Promise<void> = async () => {},
): Pick<Store, 'retry' | 'skip' | 'move'> {
  async function change(
    which: DeliveryFilter,
    states: DeliveryRow['state'][],
    audit: Audit,
    applyTo: (ids: number[]) => Promise<number>,
  ): Promise<Changed> {
    const { matched, sample } = await reading.matching(which, states)
    if (audit.dryRun) return { matched, changed: 0, sample }
    let count = 0
    for await (const ids of reading.idsOf(which, states)) count += await applyTo(ids)
    await changed()
    return { matched, changed: count, sample }
  }

  return {
    retry(which, audit, again) {
      const bulk = which.id === undefined
      return change(which, ['waiting', 'held', 'dead', 'skipped'], audit, (ids) =>
        apply.retry(ids, again, bulk, audit, JSON.stringify(which)),
      )
    },
    skip: (which, audit) =>
      change(which, ['waiting', 'claimed', 'held', 'dead'], audit, (ids) =>
        apply.skip(ids, audit, JSON.stringify(which)),
      ),
    move: (from, to, audit) =>
      change({ destination: from }, ['waiting', 'claimed', 'held', 'dead'], audit, (ids) =>
        apply.move(ids, to, audit, JSON.stringify({ from, to })),
      ),
  }
}
