import { expect } from 'vitest'
import { freePort } from '../../../../sandbox/demo/free-port.ts'
import type { DialectName } from '../../../../sandbox/platform/dialects/dialect.ts'
import { type SandboxPlatform, startPlatform } from '../../../../sandbox/platform/platform.ts'
import type { KeptGap } from '../../../../src/domain/completeness/gap.ts'
import type { Watermark } from '../../../../src/domain/completeness/watermark.ts'
import type { Instant } from '../../../../src/domain/values/instant.ts'
import { toInstant } from '../../../../src/domain/values/store-time.ts'
import { createTestClock, type TestClock } from '../../../clock.ts'
import { eventually } from '../../../eventually.ts'
import { waiting } from '../../../flows/days/open-store.ts'
import { type Given, startTestHub, type TestHub } from '../../../hub.ts'
import { HOUR } from '../../kit.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }

/** The platform's store 101, which has this id there. */
export const STORE = '42'

interface Options {
  /** How the platform speaks. Version 2 has the POS's own report; the specification has numbers of receipts. */
  dialect?: DialectName
  start?: string
  pos?: NonNullable<NonNullable<Given['config']>['completeness']>['pos']
}

/** POS of a sandbox, and a hub that holds what it has against their counters. */
export interface PosRules extends AsyncDisposable {
  clock: TestClock
  platform: SandboxPlatform
  hub: TestHub
  /** A day of store 101: it opens, sells what is asked, closes in the evening, and the night comes. Gives when the first POS was closed. */
  day(sell?: () => void): Promise<Instant>
  /** What is to be pulled is pulled, and then the counters are looked at: as by the clock. Gives what the job says of it. `log`: the event log is scanned, too. */
  look(also?: 'log'): Promise<string>
  run(job: string): Promise<string>
  quiet(): Promise<void>
  gaps(state?: KeptGap['state']): Promise<KeptGap[]>
  /** Balanced by the POS of store 101; null: nobody knows. */
  mark(): Promise<Watermark | null>
}

/** Opens them on a morning; config says of POS what nobody says otherwise. */
export async function openPos({ dialect = 'frontsystems-v2', start, pos }: Options = {}): Promise<PosRules> {
  await using opened = new AsyncDisposableStack()
  const clock = createTestClock()
  clock.advance(Date.parse(start ?? '2026-11-16T00:00:00Z') - clock.now())
  const platform = opened.use(await startPlatform({ ...KEYS, dialect, seedCatalogue: false, now: clock.now }))
  const port = await freePort()
  const hub = opened.use(
    await startTestHub({
      clock,
      config: {
        server: { port, publicUrl: `http://127.0.0.1:${port}` },
        platform: { preset: dialect === 'facts' ? 'spec' : dialect, baseUrl: platform.apiUrl, ...KEYS },
        webhooks: { kinds: ['SaleCreated', 'OmniChannelEndlessAisleOrderCreated', 'POSSettlementCreated'] },
        // What was lost stays lost until a test asks for it.
        jobs: { 'resend-failed': '0 0 1 1 *', 'reconcile-log': '0 0 1 1 *' },
        mirror: 'all',
        completeness: { pos: { ...pos } },
      },
    }),
  )
  await eventually(async () => {
    expect(platform.subscriptions()).toHaveLength(3)
    expect(await hub.hub.storage.stores()).not.toEqual([])
  })
  const open = opened.move()
  const the: PosRules = {
    clock,
    platform,
    hub,
    async day(sell = () => {}) {
      clock.advance(9 * HOUR)
      sell()
      clock.advance(10 * HOUR)
      const closed = platform
        .closeDay('101')
        .map(({ SettlementTimeStamp }) => toInstant(SettlementTimeStamp, 'Europe/Oslo'))
      clock.advance(5 * HOUR)
      await the.quiet()
      return Math.min(...closed)
    },
    async look(also) {
      await the.run('settlements')
      if (also === 'log') await the.run('reconcile-log')
      await the.quiet()
      return await the.run('reconcile-pos')
    },
    async run(job) {
      const { body } = await hub.admin<{ note: string; problem: string | null }>(`jobs/${job}/run`, {})
      expect(body.problem).toBeNull()
      return body.note
    },
    async quiet() {
      await platform.settled()
      await eventually(async () => (await waiting(hub)) === 0)
    },
    gaps: (state) => hub.hub.storage.gaps({ source: 'pos', ...(state && { state }) }, 0, 100),
    async mark() {
      const marks = await hub.hub.storage.watermarks()
      return marks.find(({ level, storeId }) => level === 'pos' && storeId === STORE) ?? null
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
  return the
}
