import { expect, test } from 'vitest'
import { today } from '../../src/console/pages/today.ts'
import { type Language, TEXTS, translator } from '../../src/console/texts/texts.ts'
import type { Page, Visit } from '../../src/console/visit.ts'
import { NEVER } from '../../src/domain/completeness/completeness.ts'
import { CAUSE_NAMES } from '../../src/domain/completeness/gap.ts'
import type { HealthItem, JobStatus } from '../../src/domain/health/health.ts'
import { type ClockName, type HealthSnapshot, health, type QueueSnapshot } from '../../src/domain/health/hub-health.ts'
import { HEALTH_TEXTS, type HealthMessage } from '../../src/domain/health/texts.ts'
import { NOTHING_YET } from '../domain/health/well.ts'
import { words } from '../words.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 10, 22, 12)
const GB = 1024 ** 3
/** What other systems, jobs and people said. */
const QUOTED = 'xyzzy'

const DISK = { free: 300 * GB, size: 1_000 * GB, folder: '/data', file: '/data/hub.db', wal: 0, isGone: false }

const WELL: HealthSnapshot = { ...NOTHING_YET, disk: DISK }

const QUEUE: QueueSnapshot = {
  ...{ name: 'shop', urgency: 'prompt', waiting: 4, held: 0, dead: 0, oldestWaiting: null, oldestHeld: null },
  ...{ outage: null, failing: null, tookAt: NOW, callsPerSecond: null, paused: null, configured: true },
}
const PAUSED = { until: null, why: QUOTED }
const down = (code: string) => {
  const outage = { since: NOW - HOUR, failures: 3, until: NOW, notBefore: null, code, why: QUOTED }
  return { ...QUEUE, name: `shop-${code}`, outage }
}

const JOB: JobStatus = {
  ...{ name: 'stores', schedule: '', atStart: true, running: false, elsewhere: false, cutOff: false, overdue: false },
  ...{ nextRunAt: null, lastStartedAt: null, lastSucceededAt: null, lastFailedAt: null, problem: null, note: null },
  ...{ failures: 0, code: null },
}
const FAULT = { name: 'all SaleCreated', why: QUOTED, since: NOW, harmless: false }
const ROWS = { operation: 'webhooks.list', why: QUOTED, rows: 2, about: ['a1', 'b2', 'c3', 'd4'], since: NOW }
const SCHEMA = { kind: 'SaleCreated', at: NOW, text: QUOTED, breaks: true, flows: ['book-sale'] }
const UNSENT = { to: 'vakt', notices: [], dropped: 3, since: NOW, tries: 1, nextAt: NOW, why: QUOTED }
const QUIET = { name: 'most stores', since: NOW, expected: 30, stores: { quiet: 3, of: 4 } }
const MARK = { level: 'log', kind: 'SaleCreated', storeId: null, from: NEVER, until: NEVER, since: NOW } as const
const READ_NOW = { ...JOB, name: 'resend-failed', lastSucceededAt: NOW }

const CODES = words(`
  http-401 http-403 smtp-550 certificate-refused address-refused files-host-key files-missing files-full no-database no-api
  http-302 unreadable-answer http-404 http-429 http-503 no-answer unreachable http-400 xyzzy
`)
const CLOCKS = words('reported captured declined expired shipped refunded created placed') as ClockName[]
const OUT_OF_PLACE = { unrouted: 2, quarantined: 1, conflicts: 2, reusedKeys: { count: 1, last: NOW } }
const UNREAD = { queues: null, events: null, late: null, jobs: null, subscriptions: null }

/** Together they have each sentence that health has. */
const TROUBLES: Partial<HealthSnapshot>[] = [
  { ...UNREAD, store: { problem: QUOTED, since: NOW }, disk: null },
  { store: { problem: QUOTED, since: NOW }, jobs: [READ_NOW] },
  { store: { problem: QUOTED, since: NOW }, disk: { ...DISK, isGone: true, wal: 3 * GB } },
  { disk: { ...DISK, free: 4 * GB, size: 100 * GB } },
  { disk: { ...DISK, free: GB, size: 100 * GB } },
  { log: { code: null, since: NOW, lost: 1_200 } },
  { log: { code: 'EPIPE', since: NOW, lost: 0 } },
  { log: { code: 'ENOSPC', since: NOW, lost: 0 } },
  { clockAhead: 90_000, newest: NOW + DAY, clockJump: { at: NOW, by: 3_600_000 } },
  { clockAhead: -90_000, clockJump: { at: NOW, by: -3_600_000, whose: 'database' } },
  { eventLoopMs: 1_500 },
  { queues: CODES.map(down) },
  { queues: [{ ...down('unreachable'), paused: PAUSED }] },
  { queues: [{ ...QUEUE, failing: { since: NOW, calls: 2, code: 'no-answer', why: QUOTED } }] },
  { queues: [{ ...QUEUE, waiting: 0, paused: PAUSED, callsPerSecond: 2.5 }] },
  { queues: [{ ...QUEUE, held: 2, dead: 1, oldestHeld: NOW, oldestWaiting: NOW - 2 * DAY }] },
  { queues: [{ ...QUEUE, configured: false }] },
  { events: OUT_OF_PLACE, late: CLOCKS.map((clock) => ({ clock, count: 2, since: NOW })) },
  { jobs: [false, true].map((running) => ({ ...JOB, overdue: true, running })) },
  { jobs: [false, true].map((running) => ({ ...JOB, overdue: true, running, lastSucceededAt: NOW - DAY })) },
  { jobs: [{ ...JOB, failures: 3, problem: QUOTED, code: 'http-401' }] },
  { jobs: [{ ...JOB, failures: 1 }] },
  { jobs: [{ ...JOB, cutOff: true }] },
  { jobs: [{ ...JOB, name: 'subscriptions' }], subscriptions: [FAULT] },
  { schemas: [SCHEMA, { ...SCHEMA, flows: [] }] },
  { rejected: [ROWS, { ...ROWS, about: ['a1'] }] },
  {
    warnings: [
      { key: 'server.port', found: QUOTED, expected: QUOTED },
      { key: 'queue', expected: QUOTED },
    ],
  },
  { unsent: [UNSENT, { ...UNSENT, why: null }] },
  { inactivities: [QUIET, { ...QUIET, name: 'store 42', stores: null }] },
  { inactivities: [QUIET], jobs: [READ_NOW] },
  {
    completeness: {
      gaps: CAUSE_NAMES.map((cause) => ({ source: 'log', cause, open: 2, oldest: NOW, recent: 2 })),
      watermarks: [MARK, { ...MARK, until: NOW - 5 * DAY }],
    },
  },
  {
    completeness: {
      gaps: [{ source: 'log', cause: 'claimed', open: 0, oldest: null, recent: 2 }],
      watermarks: [{ ...MARK, until: NOW - 8 * DAY }],
    },
  },
]

const ITEMS = TROUBLES.flatMap((seen) => health({ ...WELL, ...seen }, NOW)).filter(({ state }) => state !== 'ok')

/** As the hub makes the page of a viewer, of these items. */
async function pageIn(language: Language, items: readonly HealthItem[]): Promise<string> {
  const answers: Record<string, unknown> = {
    'GET /health': { items: [...items], status: null },
    'GET /completeness': { watermarks: [] },
    'GET /arrivals': { hours: [] },
  }
  const visit = {
    ...{ t: translator(language, 'Europe/Oslo'), language, zone: 'Europe/Oslo', now: NOW, stores: [], here: '/' },
    ask: async (what: string) => answers[what],
    may: () => false,
  }
  const { body } = (await today(visit as unknown as Visit)) as Page
  const text = String(body).replace(/<[^>]+>/g, ' ')
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>')
}

function idsIn({ id, values }: HealthMessage): string[] {
  const inner = Object.values(values).filter((value): value is HealthMessage => Object(value).id !== undefined)
  return [id, ...inner.flatMap(idsIn)]
}

const messages = ITEMS.flatMap(({ says, asks }) => [says, asks].filter((one) => one !== undefined))

test('When each thing that health can say is said, then no text is left over, and none lacks a value', () => {
  expect(Object.keys(HEALTH_TEXTS).filter((id) => !messages.flatMap(idsIn).includes(id))).toEqual([])
  for (const { means, todo } of ITEMS) expect(`${means}${todo}`).not.toMatch(/\{|undefined/)
  for (const { id, values } of messages)
    for (const [, name = ''] of HEALTH_TEXTS[id].matchAll(/\{(\w+)\}/g)) expect(values, id).toHaveProperty(name)
})

test('When Today is read in English, then it has the sentences of the command line', async () => {
  const page = await pageIn('en', ITEMS)
  const isPlain = ({ means }: HealthItem) => !/\d{4}-\d\d-\d\dT/.test(means)
  const lacks = ({ means, todo }: HealthItem) => !page.includes(means) || (todo !== null && !page.includes(todo))
  expect(ITEMS.filter(isPlain).filter(lacks)).toEqual([])
  expect(page).toContain('The newest event is of 23 Nov 2026, 13:00, which is still to come')
})

test.each([
  ['nb', 'I 1,5 s av det siste minuttet', 'er fra 23. nov. 2026, 13:00', '1\u00a0200 linjer av den er tapt'],
  ['sv', 'I 1,5 s av den senaste minuten', 'är från 23 nov. 2026 13:00', '1\u00a0200 rader av den är förlorade'],
  ['da', 'I 1,5 s af det seneste minut', 'er fra 23. nov. 2026, 13.00', '1.200 linjer af den er tabt'],
] as const)(
  'When Today is read in %s, then each sentence of health is in it, with its numbers and times',
  async (language, ...said) => {
    const page = await pageIn(language, ITEMS)
    expect(said.filter((one) => !page.includes(one))).toEqual([])
    // Words of English that the others do not have, and no command.
    const english =
      /[^.;]*\b(the|and|that|which|nothing|is|it|its|of|was|were|not|are|this|with|needs?|until|nobody)\b[^.;]*/gi
    expect(page.match(english) ?? []).toEqual([])
    expect(ITEMS.filter(({ means }) => means !== QUOTED && page.includes(means))).toEqual([])
    // Each language has words of its own, but for commands.
    const same = Object.entries(HEALTH_TEXTS).filter(
      ([id, text]) => TEXTS[language][id as keyof typeof HEALTH_TEXTS] === text,
    )
    expect(
      same.map(([id]) => id).filter((id) => !/^(gap\.remedy\.|todo\.gaps|todo\.mapping|health\.cause$)/.test(id)),
    ).toEqual([])
  },
)
