import { type LogOfKind, ON_ITS_WAY } from '../../../domain/ledger/facts/may-come.ts'
import { NO_LOG_CAUSES, stretchOf } from '../../../domain/ledger/second-road.ts'
import type { Store } from '../../../store/store.ts'

/** Gaps read at once: a log is gone, or a subscription away, a few times in a year. */
const MOST = 1_000

/** What the event log has shown of a kind so far. */
export async function logOf(kind: string, store: Pick<Store, 'watermarks' | 'gaps' | 'covered'>): Promise<LogOfKind> {
  const openOf = (cause: (typeof NO_LOG_CAUSES | typeof ON_ITS_WAY)[number], most: number) =>
    store.gaps({ road: 'log', cause, kind, state: 'open' }, 0, most)
  const noLog = await Promise.all(NO_LOG_CAUSES.map((cause) => openOf(cause, MOST)))
  const coming = await Promise.all(ON_ITS_WAY.map((cause) => openOf(cause, 1)))
  const gone = noLog.flat().flatMap((gap) => stretchOf(gap) ?? [])
  return {
    ...{ kind, gone, marks: await store.watermarks(), isOnItsWay: coming.flat().length > 0 },
    // As the job `ledger` names what all subscriptions for every store have proven together.
    looked: await store.covered('log', `${kind}/`),
  }
}
