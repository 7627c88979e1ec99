import type { Range } from '../../domain/ledger/covered.ts'
import type { GapChange } from '../../domain/ledger/gap.ts'
import { PLATFORM } from '../../domain/queue/event.ts'
import type { Logger } from '../../lib/logger.ts'
import type { EventRow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import type { OwnSubscription } from '../subscriptions/list-ours.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Events read at once. */
const PAGE = 500

/** How far back the log is asked for an event that came: it may have been sent again days later. */
const FARTHEST = 7 * DAY

interface Tools {
  store: Pick<Store, 'events'>
  /** The only subscription of its kind: whatever else comes of that kind is judged by it. */
  isOnly: boolean
  /** The ids that the log has shown of this time. */
  shown: ReadonlySet<string>
  /** The ids of the log's records of another time; null: there may be others. */
  idsIn(range: Range): Promise<string[] | null>
  logger: Logger
}

/**
 * Events of a subscription that came under a key of their own, and that the platform's log does not know: somebody else may have
 * sent them. They are noted, and nothing is held up by them. `came`: when they came; the log has had an hour to tell of them.
 */
export async function findUnknown(ours: OwnSubscription, came: Range, tools: Tools): Promise<Iterable<GapChange>> {
  const { isOnly, shown, logger } = tools
  // A hundred thousand where another hub's events are not in this log.
  const suspects = new Map<string, Pick<EventRow, 'id' | 'receivedAt'>>()
  for await (const { id, receivedAt, transportKey, subscription } of eventsOf(ours, came, tools.store)) {
    if (!isOnly && subscription !== ours.name) continue
    if (transportKey !== null && !shown.has(transportKey)) suspects.set(transportKey, { id, receivedAt })
  }
  // What came a moment after it arose, or was sent again, stands further back in the log.
  const back = [{ from: came.from - HOUR, to: came.from }]
  for (let to = came.to; to > came.to - FARTHEST; to -= DAY) back.push({ from: to - DAY, to })
  for (const range of back) {
    if (suspects.size === 0) break
    const ids = await tools.idsIn(range)
    if (ids === null) return []
    for (const id of ids) suspects.delete(id)
  }
  return notes(ours, suspects, logger)
}

/** Each is told when it is come to. */
function* notes(
  { kind, storeId }: OwnSubscription,
  suspects: ReadonlyMap<string, Pick<EventRow, 'id' | 'receivedAt'>>,
  logger: Logger,
): Generator<GapChange> {
  const where = { road: 'log', kind, storeId, destination: null, day: null } as const
  for (const [subject, { id, receivedAt }] of suspects) {
    logger.warn({ kind, event: id }, 'event.unknown-to-platform')
    const evidence = { log: { event: id, receivedAt } }
    yield { type: 'note', gap: { ...where, cause: 'unknown', subject, at: receivedAt, evidence } }
  }
}

async function* eventsOf({ kind }: OwnSubscription, { from, to }: Range, store: Pick<Store, 'events'>) {
  for (let after = 0; ; ) {
    const page = await store.events({ kind, since: from, until: to, after, limit: PAGE })
    yield* page.filter(({ origin }) => origin === PLATFORM)
    after = page.at(-1)?.id ?? after
    if (page.length < PAGE) return
  }
}
