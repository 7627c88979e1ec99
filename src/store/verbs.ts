import type { Touched } from './reading/matching.ts'
import type { Audit, Changed, DeliveryFilter } from './screens.ts'
import type { Released, Store } from './store.ts'

/** What is asked of a selection first. */
interface Reading {
  matching(which: DeliveryFilter, touched: Touched): Promise<Omit<Changed, 'changed'>>
  /** The ids of a selection, oldest first, slice by slice. */
  idsOf(which: DeliveryFilter, touched: Touched): AsyncIterable<number[]>
}

/** What is done to a slice of a selection, in one commit; how many were changed. `selection`: as people named it, for the audit. */
interface Apply {
  retry(ids: number[], again: boolean, yields: boolean, audit: Audit, selection: string): Promise<number>
  skip(ids: number[], audit: Audit, selection: string): Promise<number>
  letGo(ids: number[], audit: Audit, selection: string): Promise<number>
  move(ids: number[], to: string, audit: Audit, selection: string): Promise<number>
}

const OPEN_OR_DEAD = ['waiting', 'claimed', 'held', 'dead'] as const

/** What people do to a selection of deliveries: ids first, in slices, each slice one commit. `changed`: after all of it. */
export function createVerbs(
  reading: Reading,
  apply: Apply,
  changed: () => Promise<void> = async () => {},
): Pick<Store, 'retry' | 'skip' | 'letGo' | 'move'> {
  async function change(
    which: DeliveryFilter,
    touched: Touched,
    audit: Audit,
    applyTo: (ids: number[]) => Promise<number>,
  ): Promise<Changed> {
    const { matched, sample } = await reading.matching(which, touched)
    if (audit.dryRun) return { matched, changed: 0, sample }
    let count = 0
    for await (const ids of reading.idsOf(which, touched)) count += await applyTo(ids)
    await changed()
    return { matched, changed: count, sample }
  }

  return {
    retry(which, audit, again) {
      const yields = which.id === undefined
      return change(which, { states: ['waiting', 'held', 'dead', 'skipped'] }, audit, (ids) =>
        apply.retry(ids, again, yields, audit, JSON.stringify(which)),
      )
    },
    skip: (which, audit) =>
      change(which, { states: OPEN_OR_DEAD }, audit, (ids) => apply.skip(ids, audit, JSON.stringify(which))),
    letGo: (which, audit) =>
      change(which, { states: ['held'], certain: true }, audit, (ids) =>
        apply.letGo(ids, audit, JSON.stringify(which)),
      ),
    move: (from, to, audit) =>
      change({ destination: from }, { states: OPEN_OR_DEAD }, audit, (ids) =>
        apply.move(ids, to, audit, JSON.stringify({ from, to })),
      ),
  }
}

/** What is remembered of whoever lets deliveries go (JSON). */
export function releasedBy({ by, reason }: Audit): string {
  const released: Released = { by, reason: reason ?? '' }
  return JSON.stringify(released)
}
