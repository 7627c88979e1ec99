import type { Audit, Changed, DeliveryFilter, DeliveryRow } from '../screens.ts'
import type { Store } from '../store.ts'
import { moveDeliveries, retryDeliveries, skipDeliveries } from './changing.ts'
import type { Database, Session } from './database.ts'
import type { PostgresReading } from './reading.ts'

const UNDONE = ['waiting', 'claimed', 'held', 'dead'] as const

/** What people do to a selection of deliveries: ids first, in slices, each slice one commit. `changed`: after all of it. */
export function createVerbs(
  db: Database,
  reading: Pick<PostgresReading, 'matching' | 'idsOf'>,
  changed: () => Promise<void>,
): Pick<Store, 'retry' | 'skip' | 'move'> {
  async function change(
    which: DeliveryFilter,
    states: readonly DeliveryRow['state'][],
    audit: Audit,
    apply: (session: Session, ids: number[]) => Promise<number>,
  ): Promise<Changed> {
    const { matched, sample } = await reading.matching(which, [...states])
    if (audit.dryRun) return { matched, changed: 0, sample }
    let count = 0
    for await (const ids of reading.idsOf(which, [...states]))
      count += await db.transaction((session) => apply(session, ids))
    await changed()
    return { matched, changed: count, sample }
  }

  return {
    retry(which, audit, again) {
      const bulk = which.id === undefined
      return change(which, ['waiting', 'held', 'dead', 'skipped'], audit, (session, ids) =>
        retryDeliveries(session, ids, again, bulk, audit, JSON.stringify(which)),
      )
    },
    skip: (which, audit) =>
      change(which, UNDONE, audit, (session, ids) => skipDeliveries(session, ids, audit, JSON.stringify(which))),
    move: (from, to, audit) =>
      change({ destination: from }, UNDONE, audit, (session, ids) =>
        moveDeliveries(session, ids, to, audit, JSON.stringify({ from, to })),
      ),
  }
}
