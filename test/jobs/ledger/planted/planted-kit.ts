import { expect } from 'vitest'
import { freePort } from '../../../../sandbox/demo/free-port.ts'
import type { DialectName } from '../../../../sandbox/platform/dialects/dialect.ts'
import { type SandboxPlatform, startPlatform } from '../../../../sandbox/platform/platform.ts'
import type { KeptGap } from '../../../../src/domain/ledger/gap.ts'
import { tillbridge } from '../../../cli/run.ts'
import { createTestClock, type TestClock } from '../../../clock.ts'
import { eventually } from '../../../eventually.ts'
import { waiting } from '../../../flows/days/open-store.ts'
import { ADMIN_TOKEN, startTestHub, type TestHub } from '../../../hub.ts'
import { HOUR, MINUTE } from '../../kit.ts'
import { SALE_COLUMNS } from '../facts/facts-kit.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const NEVER = '0 0 1 1 *'

/** What is different about a hub that something is planted for. */
export interface Soil {
  /** How the platform speaks; `frontsystems-v2`, where tills tell all of their counters, if nobody says. */
  dialect?: DialectName
  start?: string
  kinds?: string[]
  /** No header names events. */
  keyless?: boolean
  /** So many reports of a till are to balance before it is believed; 1, if nobody says. */
  learning?: number
}

const USUAL = [
  'SaleCreated',
  'StockMovementCreated',
  'POSSettlementCreated',
  'DeliveryUpdated',
  'OmniChannelEndlessAisleOrderCreated',
  'OmniChannelSendReceiptCreated',
]

/** A platform and a hub, where nothing of the ledger runs but what a row asks for. */
export interface Planted extends AsyncDisposable {
  clock: TestClock
  platform: SandboxPlatform
  hub: TestHub
  run(job: string): Promise<void>
  /** One after the other: the roads as the clock has them run, half an hour later. */
  sweep(): Promise<void>
  quiet(): Promise<void>
  /** A day of store 101: it opens, sells, closes in the evening, and the night comes. */
  day(sell: () => void): Promise<void>
  /** The next webhooks, and nothing else, meet this fate. */
  lose<T>(fate: 'drop' | 'foreign', deed: () => T): Promise<T>
  gaps(): Promise<KeptGap[]>
  /** `tillbridge …`, as a person types it. */
  cli(...args: string[]): Promise<{ code: number; out: string; err: string }>
}

const ROADS = ['ledger', 'compare-facts', 'settlements', 'till-counters']

/** Opens them in a morning. All roads have looked once, and a day has balanced where tills are to be known. */
export async function openPlanted(soil: Soil = {}): Promise<Planted> {
  const { dialect = 'frontsystems-v2', start = '2026-11-16T00:00:00Z', kinds = USUAL } = soil
  await using opened = new AsyncDisposableStack()
  const clock = createTestClock()
  clock.advance(Date.parse(start) - clock.now())
  const platform = opened.use(await startPlatform({ ...KEYS, dialect, seedCatalogue: false, now: clock.now }))
  const port = await freePort()
  const given = (keyless: boolean) => ({
    clock,
    config: {
      server: { port, publicUrl: `http://127.0.0.1:${port}` },
      platform: { preset: dialect === 'facts' ? ('spec' as const) : dialect, baseUrl: platform.apiUrl, ...KEYS },
      webhooks: { kinds, ...(keyless && { eventIdHeader: undefined }) },
      jobs: { 'resend-failed': NEVER, ledger: NEVER, 'stock-counts': NEVER },
      mirror: 'all' as const,
      pulls: { saleColumns: SALE_COLUMNS, movementColumns: { id: 'STOCKMOVEMENTID', type: 'MoveType' } },
      completeness: { tills: { learning: soil.learning ?? 1 } },
    },
  })
  const hub = opened.use(await startTestHub(given(soil.keyless === true)))
  await eventually(async () => {
    expect(platform.subscriptions()).toHaveLength(kinds.length)
    expect(await hub.hub.store.stores()).not.toEqual([])
  })
  const open = opened.move()
  const the: Planted = {
    ...{ clock, platform, hub },
    async run(job) {
      await hub.admin(`jobs/${job}/run`, {})
      await the.quiet()
    },
    async sweep() {
      clock.advance(30 * MINUTE)
      for (const job of ROADS) await the.run(job)
    },
    async quiet() {
      await platform.settled()
      await eventually(async () => (await waiting(hub)) === 0)
    },
    async day(sell) {
      clock.advance(9 * HOUR)
      sell()
      clock.advance(10 * HOUR)
      platform.closeDay('101')
      clock.advance(5 * HOUR)
      await the.quiet()
    },
    async lose(fate, deed) {
      platform.faults.set({ [fate]: 1 })
      const done = deed()
      await the.quiet()
      platform.faults.set({})
      return done
    },
    gaps: () => hub.hub.store.gaps({}, 0, 1_000),
    cli: (...args) => tillbridge(args, { TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
  await the.run('ledger')
  await the.run('compare-facts')
  clock.advance(MINUTE)
  return the
}
