import { type LogOfKind, ON_ITS_WAY } from '../../../domain/ledger/facts/may-come.ts'
import { NO_LOG_CAUSES, stretchOf } from '../../../domain/ledger/second-road.ts'
import type { Store } from '../../../store/store.ts'
import { allGaps } from '../../../store/walk-pages.ts'

/** What the event log has shown of a kind so far. */
export async function logOf(kind: string, store: Pick<Store, 'watermarks' | 'gaps' | 'covered'>): Promise<LogOfKind> {
  const open = { road: 'log', kind, state: 'open' } as const
  const noLog = await Promise.all(NO_LOG_CAUSES.map((cause) => allGaps(store, { ...open, cause })))
  const coming = await Promise.all(ON_ITS_WAY.map((cause) => store.gaps({ ...open, cause }, 0, 1)))
  const gone = noLog.flat().flatMap((gap) => stretchOf(gap) ?? [])
  return {
    ...{ kind, gone, marks: await store.watermarks(), isOnItsWay: coming.flat().length > 0 },
    // As the job `ledger` names what all subscriptions for every store have proven together.
    looked: await store.covered('log', `${kind}/`),
  }
}
