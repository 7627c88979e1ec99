import { expect } from 'vitest'
import type { DialectName } from '../../../../sandbox/platform/dialects/dialect.ts'
import type { SandboxPlatform } from '../../../../sandbox/platform/platform.ts'
import type { StoredGap } from '../../../../src/domain/completeness/gap.ts'
import { tillbridge } from '../../../cli/run.ts'
import type { TestClock } from '../../../clock.ts'
import { ADMIN_TOKEN, type Given, type TestHub } from '../../../hub.ts'
import { HOUR, MINUTE } from '../../kit.ts'
import { openPulled } from '../../pulls/pull-kit.ts'
import { SALE_COLUMNS } from '../lists/lists-kit.ts'

const NEVER = '0 0 1 1 *'

/** What is different about a hub that something is planted for. */
export interface Soil {
  /** How the platform speaks; `frontsystems-v2`, where POS tell all of their counters, if nobody says. */
  dialect?: DialectName
  from?: string
  /** The kinds that the hub subscribes to: of sales and settlements, if nobody says. */
  kinds?: string[]
  /** How POS are judged, otherwise than config has it. */
  pos?: NonNullable<NonNullable<Given['config']>['completeness']>['pos']
}

const USUAL = ['SaleCreated', 'POSSettlementCreated']

/** A platform and a hub, where no reconciliation runs but what a row asks for. */
export interface Planted extends AsyncDisposable {
  clock: TestClock
  platform: SandboxPlatform
  hub: TestHub
  run(job: string): Promise<void>
  /** One after the other: the sources as the clock has them run, half an hour later. */
  scan(): Promise<void>
  quiet(): Promise<void>
  /** A day of store 101: it opens, sells, closes in the evening, and the night comes. */
  day(sell: () => void): Promise<void>
  /** The platform's log erases all that has happened so far. */
  erase(): void
  /** Somebody at the platform sends an event that its log has erased. */
  sendErased(kind: string): Promise<void>
  /** Whoever is asked says why nothing has to be done, as the documentation has it. */
  explain(id: number): Promise<void>
  /** A POS of store 101 is known: it has balanced for a day. */
  learned(): Promise<void>
  /** The next webhooks, and nothing else, meet this fate. */
  lose<T>(fate: 'drop' | 'foreign', entry: () => T): Promise<T>
  gaps(): Promise<StoredGap[]>
  /** `tillbridge …`, as a person types it. */
  cli(...args: string[]): Promise<{ code: number; out: string; err: string }>
}

const RECONCILIATION_SOURCES = ['reconcile-lists', 'reconcile-log', 'settlements', 'reconcile-pos']

/** Opens them in a morning. All sources have looked once, and a day has balanced where POS are to be known. */
export async function openPlanted(soil: Soil = {}): Promise<Planted> {
  const { dialect = 'frontsystems-v2', from = '2026-11-16T00:00:00Z', kinds = USUAL } = soil
  const pulled = await openPulled(
    from,
    { days: 3, saleColumns: SALE_COLUMNS },
    { dialect, kinds, jobs: { 'reconcile-log': NEVER }, completeness: { pos: { ...soil.pos } } },
  )
  const { clock, platform, hub, quiet } = pulled
  const lost: ReturnType<SandboxPlatform['events']>[number][] = []
  const the: Planted = {
    ...{ clock, platform, hub },
    async run(job) {
      await hub.admin(`jobs/${job}/run`, {})
      await the.quiet()
    },
    async scan() {
      clock.advance(30 * MINUTE)
      for (const job of RECONCILIATION_SOURCES) await the.run(job)
    },
    quiet,
    async day(sell) {
      clock.advance(9 * HOUR)
      sell()
      clock.advance(10 * HOUR)
      platform.closeDay('101')
      clock.advance(5 * HOUR)
      await the.quiet()
    },
    async lose(fate, entry) {
      platform.faults.set({ [fate]: 1 })
      const done = entry()
      await the.quiet()
      platform.faults.set({})
      return done
    },
    async sendErased(kind) {
      const event = lost.findLast((one) => one.kind === kind)
      if (!event) throw new Error(`The log has erased no ${kind}.`)
      await hub.post(kind, event.payload, { eventId: event.webhookEventId, subscription: 'all' })
      await the.quiet()
    },
    async explain(id) {
      const { code, err } = await the.cli(
        'gaps',
        'explain',
        String(id),
        '--reason',
        'looked at, and nothing is to be done',
      )
      expect([code, err]).toEqual([0, ''])
    },
    async learned() {
      await the.day(() => platform.actions.sell({ store: '101', pos: 1 }))
      await the.scan()
      expect(await the.gaps()).toEqual([])
    },
    erase() {
      lost.push(...platform.events())
      platform.forgetEvents(clock.now())
    },
    gaps: () => hub.hub.storage.gaps({}, 0, 1_000),
    cli: (...args) => tillbridge(args, { TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }),
    [Symbol.asyncDispose]: pulled[Symbol.asyncDispose],
  }
  await the.run('reconcile-log')
  await the.run('reconcile-lists')
  clock.advance(MINUTE)
  return the
}
