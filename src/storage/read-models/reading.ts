import type { FindingFilter, FindingSort } from '../../domain/catalogue/finding.ts'
import type { MirrorCursor, MirrorFilter } from '../../domain/catalogue/mirror.ts'
import {
  type DeliveryFilter,
  type DeliveryRow,
  type EventFilter,
  type EventRow,
  type ListPage,
  toStoredFinding,
  toStoredMirrorRow,
} from '../rows.ts'
import type { ReadModels } from './read-models.ts'
import type { Selected, Selection } from './selecting.ts'
import { isDeliveriesAnswered, isEventsAnswered, readInIdRanges } from './stretches.ts'

export type Ask = <M extends keyof ReadModels>(method: M, ...args: Parameters<ReadModels[M]>) => Promise<Answer<M>>

export type Answer<M extends keyof ReadModels> = Awaited<ReturnType<ReadModels[M]>>

export function createReading(ask: Ask) {
  async function lookForEvents(filter: EventFilter, look: number): Promise<ListPage<EventRow>> {
    if (isEventsAnswered(filter)) return { rows: await ask('events', filter), next: null }
    const span = await ask('eventSpan', filter)
    return await readInIdRanges(filter, span, look, (stretch, limit) => ask('events', { ...filter, limit }, stretch))
  }

  async function lookForDeliveries(filter: DeliveryFilter, look: number): Promise<ListPage<DeliveryRow>> {
    if (isDeliveriesAnswered(filter)) return { rows: await ask('deliveries', filter), next: null }
    const span = await ask('deliverySpan')
    return await readInIdRanges(filter, span, look, (stretch, limit) =>
      ask('deliveries', { ...filter, limit }, stretch),
    )
  }

  const passed = Object.fromEntries(
    PASSED.map((method) => [method, (...args: Parameters<ReadModels[typeof method]>) => ask(method, ...args)]),
  ) as { [M in Passed]: (...args: Parameters<ReadModels[M]>) => Promise<Answer<M>> }
  return {
    ...passed,
    matching: async <S extends Selection>(selection: S) =>
      (await ask('matching', selection)) as { matched: number; sample: Selected[S['of']][] },
    events: async (filter: EventFilter) => (await lookForEvents(filter, Number.POSITIVE_INFINITY)).rows,
    lookForEvents,
    deliveries: async (filter: DeliveryFilter) => (await lookForDeliveries(filter, Number.POSITIVE_INFINITY)).rows,
    lookForDeliveries,
    findings: async <S extends FindingSort>(filter: FindingFilter<S>, after: MirrorCursor | null, limit: number) =>
      (await ask('findingPage', filter, after, limit)).map((row) => toStoredFinding<S>(row)),
    mirrorPage: async (filter: MirrorFilter, after: MirrorCursor | null, limit: number) =>
      (await ask('mirrorTexts', filter, after, limit)).map(toStoredMirrorRow),
  }
}

export type Reading = ReturnType<typeof createReading>

const PASSED = [
  ...(['event', 'delivery', 'pendingByFlow', 'levelState', 'status', 'failures'] as const),
  ...(['submission', 'submissions', 'submissionItems'] as const),
  ...(['order', 'overdue', 'acts', 'act', 'searchReach', 'jobRuns', 'links', 'linksTo', 'effectsOf'] as const),
  ...(['arePending', 'givenPage', 'bodies', 'customersPage', 'gaps', 'oldestGaps', 'gapCounts', 'storeRows'] as const),
  ...(['foundBy', 'personalPage', 'legalHolds', 'eventsHere', 'openGapKeys', 'retained', 'ageing'] as const),
  ...(['acknowledgedUpTo', 'toCompress', 'payloadKinds', 'selectedRows', 'selectedIds'] as const),
]
type Passed = (typeof PASSED)[number]
