import type { FindingFilter, FindingSort } from '../../domain/catalogue/finding.ts'
import type { MirrorCursor, MirrorFilter } from '../../domain/catalogue/mirror.ts'
import type { Road } from '../../domain/ledger/causes.ts'
import type { GapFilter } from '../../domain/ledger/gap.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { toKeptFinding } from '../finding-text.ts'
import { toKeptGap } from '../gap-text.ts'
import { toKeptRow } from '../mirror-text.ts'
import type { PayloadChange, PayloadsToDrop } from '../payloads/payload.ts'
import type { PersonalChange, PersonalRows } from '../people/personal-row.ts'
import type { Acknowledged } from '../retention/pruning.ts'
import type { DeliveryFilter, DeliveryRow, EventFilter, EventRow, Looked, Screens } from '../screens.ts'
import { inStretches, isDeliveriesAnswered, isEventsAnswered } from './lists/stretches.ts'
import type { Touched } from './matching.ts'
import type { ScreenMethods } from './screens.ts'

/** Each question is one snapshot. */
export type Ask = <M extends keyof ScreenMethods>(
  method: M,
  ...args: Parameters<ScreenMethods[M]>
) => Promise<Answer<M>>

export type Answer<M extends keyof ScreenMethods> = Awaited<ReturnType<ScreenMethods[M]>>

export function createReading(ask: Ask) {
  async function lookForEvents(filter: EventFilter, look: number): Promise<Looked<EventRow>> {
    if (isEventsAnswered(filter)) return { rows: await ask('events', filter), next: null }
    const span = await ask('eventSpan', filter)
    return await inStretches(filter, span, look, (stretch, limit) => ask('events', { ...filter, limit }, stretch))
  }

  async function lookForDeliveries(filter: DeliveryFilter, look: number): Promise<Looked<DeliveryRow>> {
    if (isDeliveriesAnswered(filter)) return { rows: await ask('deliveries', filter), next: null }
    const span = await ask('deliverySpan')
    return await inStretches(filter, span, look, (stretch, limit) => ask('deliveries', { ...filter, limit }, stretch))
  }

  const screens: Screens = {
    events: async (filter) => (await lookForEvents(filter, Number.POSITIVE_INFINITY)).rows,
    lookForEvents,
    event: (id) => ask('event', id),
    deliveries: async (filter) => (await lookForDeliveries(filter, Number.POSITIVE_INFINITY)).rows,
    lookForDeliveries,
    delivery: (id) => ask('delivery', id),
    owedByFlow: (filter) => ask('owedByFlow', filter),
    levelStanding: (destination, flow, entity) => ask('levelStanding', destination, flow, entity),
    status: () => ask('status'),
    submission: (id) => ask('submission', id),
    submissionItems: (id, filter) => ask('submissionItems', id, filter),
    order: (number) => ask('order', number),
    overdue: (flows, limit) => ask('overdue', flows, limit),
    acts: (filter) => ask('acts', filter),
    act: (id) => ask('act', id),
    searchReach: () => ask('searchReach'),
    jobRuns: (name, limit) => ask('jobRuns', name, limit),
  }
  return {
    ...screens,
    links: (destination: string, kind: string, ids: string[]) => ask('links', destination, kind, ids),
    linksTo: (destinations: string[], kind: string, theirIds: string[]) => ask('linksTo', destinations, kind, theirIds),
    effectsOf: (state: 'skipped' | 'delivered', beginning: string) => ask('effectsOf', state, beginning),
    areOwed: (destination: string, flows: readonly string[]) => ask('areOwed', destination, flows),
    givenPage: (destinations: readonly string[], after: number, limit: number) =>
      ask('givenPage', destinations, after, limit),
    swapToRewrite: (changes: readonly PersonalChange[]) => ask('swapToRewrite', changes),
    personalPage: (asked: PersonalRows) => ask('personalPage', asked),
    bodies: (ids: readonly number[]) => ask('bodies', ids),
    blocksToMake: (before: Instant) => ask('blocksToMake', before),
    toMovePast: (after: number, before: Instant, limit: number) => ask('toMovePast', after, before, limit),
    swapToPack: (kind: string, ids: readonly number[]) => ask('swapToPack', kind, ids),
    swapToReplace: (changes: readonly PayloadChange[]) => ask('swapToReplace', changes),
    swapsToDrop: (which: PayloadsToDrop) => ask('swapsToDrop', which),
    customersPage: (after: number, limit: number) => ask('customersPage', after, limit),
    findings: async <S extends FindingSort>(filter: FindingFilter<S>, after: MirrorCursor | null, limit: number) =>
      (await ask('findingPage', filter, after, limit)).map((row) => toKeptFinding<S>(row)),
    mirrorPage: async (filter: MirrorFilter, after: MirrorCursor | null, limit: number) =>
      (await ask('mirrorPage', filter, after, limit)).map(toKeptRow),
    gaps: async (filter: GapFilter, after: number, limit: number) =>
      (await ask('gapPage', filter, after, limit)).map(toKeptGap),
    oldestGaps: (road: Road) => ask('oldestGaps', road),
    gapCounts: (since: Instant) => ask('gapCounts', since),
    stores: () => ask('stores'),
    standing: (upTo: number, limit: number) => ask('standing', upTo, limit),
    ageing: (after: number, limit: number) => ask('ageing', after, limit),
    acknowledgedUpTo: (upTo: number, after: Acknowledged | null, limit: number) =>
      ask('acknowledgedUpTo', upTo, after, limit),
    openGapKeys: (limit: number) => ask('openGapKeys', limit),
    eventsHere: (ids: readonly number[]) => ask('eventsHere', ids),
    legalHolds: (after: number, limit: number) => ask('legalHolds', after, limit),
    matching: (filter: DeliveryFilter, touched: Touched) => ask('matching', filter, touched),

    foundBy: (keys: string[], limit: number) => ask('foundBy', keys, limit),
    rows: (ids: number[]) => ask('rows', ids),
    ids: (filter: DeliveryFilter, touched: Touched, after: number, limit: number) =>
      ask('ids', filter, touched, after, limit),

    toDismiss: (filter: EventFilter) => ask('toDismiss', filter),
    eventRows: (ids: number[]) => ask('eventRows', ids),
    idsToDismiss: (filter: EventFilter, after: number, limit: number) => ask('idsToDismiss', filter, after, limit),

    async toExplain(filter: GapFilter) {
      const { matched, sample } = await ask('toExplain', filter)
      return { matched, sample: sample.map(toKeptGap) }
    },
    gapRows: async (ids: number[]) => (await ask('gapRows', ids)).map(toKeptGap),
    idsToExplain: (filter: GapFilter, after: number, limit: number) => ask('idsToExplain', filter, after, limit),
  }
}
