import { CAUSE_NAMES, type GapFilter } from '../../../src/domain/completeness/gap.ts'
import { PERSONAL_TABLE_NAMES } from '../../../src/storage/personal-places.ts'
import type { ReadModels } from '../../../src/storage/read-models/read-models.ts'
import type { Selection } from '../../../src/storage/read-models/selecting.ts'
import { isDeliveriesAnswered, isEventsAnswered } from '../../../src/storage/read-models/stretches.ts'
import type { DeliveryFilter, EventFilter } from '../../../src/storage/rows.ts'

type Asks = { [M in keyof ReadModels]: Parameters<ReadModels[M]>[] }

function pairsOf<Filter extends object>(parts: readonly Filter[]): Filter[] {
  return [...parts, ...parts.flatMap((one, nth) => parts.slice(nth + 1).map((other) => ({ ...one, ...other })))]
}

/** Asks everything, and tells before each what is asked. Of a list one alone, too: a plan goes by how many there are. */
export async function askAll(models: ReadModels, tell: (question: string) => void): Promise<void> {
  const methods = models as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  for (const [name, all] of Object.entries<readonly unknown[][]>(QUESTIONS)) {
    const ofOne = all.map((args) => args.map((arg) => (Array.isArray(arg) ? arg.slice(0, 1) : arg)))
    for (const args of [...all, ...ofOne]) {
      tell(`${name} ${JSON.stringify(args)}`)
      await methods[name]?.(...args)
    }
  }
}

const NUMBER = 9_000
const LATE = Date.parse('2026-11-20T14:00:00Z')

const events = pairsOf<EventFilter>([
  {},
  { id: NUMBER },
  { kind: 'SaleCreated' },
  { state: 'unrouted' },
  { state: 'routed' },
  { state: 'quarantined', dismissed: false },
  { conflict: true },
  { conflict: true, dismissed: false },
  { reusedKey: true },
  { dismissed: true },
  { dismissed: false },
  { webhooks: true },
  { entity: 'order:A1' },
  { entity: 'sale:1' },
  { entities: ['order:A1', 'order:A2'] },
  { since: 1 },
  { until: LATE },
  { before: NUMBER },
  { after: NUMBER },
])

/** What a verb may select: a page of a list is no selection. */

const STATES = ['waiting', 'claimed', 'held', 'delivered', 'dead', 'skipped', 'superseded'] as const

const deliveries = pairsOf<DeliveryFilter>([
  {},
  { id: NUMBER },
  { event: NUMBER },
  { events: [NUMBER] },
  { events: [NUMBER, NUMBER + 1] },
  { destination: 'shop' },
  { flow: 'publish' },
  { flows: ['publish', 'email-receipt'] },
  { kind: 'SaleCreated' },
  ...STATES.map((state) => ({ state })),
  { entity: 'order:A1' },
  { entity: 'sale:1' },
  { since: 1 },
  { until: LATE },
  { before: NUMBER },
])

const gaps = pairsOf<GapFilter>([
  {},
  { state: 'open' },
  { state: 'closed' },
  { source: 'log' },
  { cause: CAUSE_NAMES[0] },
  { kind: 'SaleCreated' },
  { storeId: '12' },
  { destination: 'shop' },
  { day: '2026-11-20' },
] as GapFilter[])

const TOUCHED = [
  { states: ['waiting', 'held', 'dead', 'skipped'] },
  { states: ['waiting', 'claimed', 'held', 'dead'] },
  { states: ['held'], certain: true },
] as const

const SELECTIONS: Selection[] = [
  ...deliveries
    .filter(({ before }) => before === undefined)
    .flatMap((filter) => TOUCHED.map((touched) => ({ of: 'deliveries' as const, filter, touched }))),
  ...events
    .filter(({ before, after }) => before === undefined && after === undefined)
    .map((filter) => ({ of: 'events' as const, filter })),
  ...gaps.map((filter) => ({ of: 'gaps' as const, filter })),
]

const ROW = { day: '2026-11-20', id: 7 }

const STRETCH = { above: 0, below: 20_001 }

/** Everything that the models can be asked, with every filter, and any two of them: the compiler misses none. */
const QUESTIONS: Asks = {
  events: events.map((filter) => [filter, isEventsAnswered(filter) ? null : STRETCH]),
  event: [[1]],
  deliveries: deliveries.map((filter) => [filter, isDeliveriesAnswered(filter) ? null : STRETCH]),
  eventSpan: [[{}], [{ since: 1 }], [{ until: LATE }]],
  deliverySpan: [[]],
  delivery: [[1]],
  failures: [[]],
  submissions: [
    [null, 50],
    [1_000, 50],
  ],
  levelState: [['shop', 'publish-stock', 'available:1:2']],
  personalPage: PERSONAL_TABLE_NAMES.flatMap((place) => [
    [{ place, ofEvents: [1, 2] }],
    [{ place, containing: ['kari@example.com'], after: 0 }],
    [{ place, containing: ['kari@example.com'], after: 0, anyColumn: true }],
  ]),
  retained: [[NUMBER, 100]],
  ageing: [[7, 100]],
  legalHolds: [[7, 100]],
  eventsHere: [[[1, 2]]],
  acknowledgedUpTo: [
    [NUMBER, null, 100],
    [NUMBER, { destination: 'shop', flow: 'publish-price', subject: 'price:1' }, 100],
  ],
  openGapKeys: [[100]],
  toCompress: [[0, LATE]],
  payloadKinds: [[0, 100]],
  pendingByFlow: [{}, { kind: 'SaleCreated' }, { flow: 'publish' }].map((more) => [{ destination: 'shop', ...more }]),
  status: [[]],
  submission: [[1]],
  submissionItems: [[1, { states: ['dead', 'waiting'], limit: 1 }]],
  order: [['A1']],
  overdue: [[[{ flow: 'order-ready', before: LATE }], 10]],
  acts: pairsOf([{}, { by: 'kari' }, { action: 'skip' }, { since: 1 }, { until: LATE }]).map((filter) => [filter]),
  act: [[1]],
  searchReach: [[]],
  jobRuns: [['log', 10]],
  links: [['shop', 'order', ['A1', 'A2']]],
  linksTo: [
    [['shop'], 'order', ['T1', 'T2']],
    [['shop', 'erp', 'platform'], 'order', ['T1']],
    [['shop', 'erp', 'platform'], 'order', ['T1', 'T2']],
  ],
  effectsOf: [
    ['skipped', 'order/A1/'],
    ['delivered', 'order/A1/'],
  ],
  arePending: [['shop', ['publish']]],
  givenPage: [[['shop', 'erp'], 0, 10]],
  bodies: [[[1, 2]]],
  customersPage: [[7, 10]],
  findingPage: [
    [{ sort: 'unsellable' }, null, 10],
    [{ sort: 'unsellable', from: '2026-11-20' }, null, 10],
    [{ sort: 'unsellable', topic: 'NOK' }, ROW, 10],
  ],
  mirrorTexts: [
    [{ set: 'sales-lines' }, null, 1_000],
    [{ set: 'sales-lines', from: '2026-11-01', to: '2026-11-30' }, ROW, 1_000],
    [{ set: 'sales-lines', place: '1' }, ROW, 1_000],
    [{ set: 'sales-lines', article: 'a', from: '2026-11-01' }, ROW, 1_000],
    [{ set: 'sales-lines', article: 'a', place: '1' }, ROW, 1_000],
    [{ set: 'sales-lines', part: 'p' }, null, 1_000],
  ],
  gaps: gaps.map((filter) => [filter, 7, 10]),
  oldestGaps: [['log']],
  gapCounts: [[1]],
  storeRows: [[]],
  matching: SELECTIONS.map((selection) => [selection]),
  selectedIds: SELECTIONS.map((selection) => [selection, 7, 10]),
  selectedRows: (['deliveries', 'events', 'gaps'] as const).map((of) => [of, [1, 2]]),
  foundBy: [[['0'.repeat(32), '1'.repeat(32)], 10]],
}
