import { expect } from 'vitest'
import { freePort } from '../../../sandbox/demo/free-port.ts'
import type { DialectName } from '../../../sandbox/platform/dialects/dialect.ts'
import { type SandboxPlatform, startPlatform } from '../../../sandbox/platform/platform.ts'
import type { MirrorSet, StoredMirrorRow } from '../../../src/domain/catalogue/mirror.ts'
import { flows } from '../../../src/flows/index.ts'
import { createInbox } from '../../../src/ingest/accept.ts'
import { createReader, createReading } from '../../../src/ingest/parse.ts'
import { createRoute, type Route } from '../../../src/ingest/route.ts'
import { createPulls } from '../../../src/jobs/all.ts'
import type { Mappings } from '../../../src/platform/payloads/mapping/mapping.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { createTestClock, type TestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { waiting } from '../../flows/days/open-store.ts'
import { type Given, type Kept, keptIn, startTestHub, type TestHub } from '../../hub.ts'
import { createRunner, createTestLogger, type Runner } from '../engine/run.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const COLUMNS = { id: 'STOCKMOVEMENTID', type: 'MoveType' }
const MIRROR = {
  name: 'mirror',
  abilities: ['mirror', 'mirror.save'],
  publish: [],
  skip: [],
  stores: null,
  messages: [],
  channels: {},
  daily: { flows: [], closes: '03:00' },
}

/** The platform's sandbox, and a hub that mirrors it. */
export interface Pulled extends AsyncDisposable {
  clock: TestClock
  platform: SandboxPlatform
  hub: TestHub
  /** Runs a job of the hub; gives its note. */
  run(name: string): Promise<string>
  /** The same job beside the hub, to be cut off, or with something in the platform's place. Same store, same mirror. */
  beside(name: string, change?: (platform: Platform) => Partial<Platform>, route?: Route): Runner
  lose(all: boolean): void
  events(kind: string): Kept[]
  mirror(set: MirrorSet): Promise<StoredMirrorRow[]>
  quiet(): Promise<void>
}

interface More {
  destinations?: NonNullable<Given['destinations']>
  jobs?: NonNullable<Given['config']>['jobs']
  mirror?: 'all' | 'stock'
  /** The kinds that the hub subscribes to; all, if nobody says. */
  kinds?: readonly string[]
  payloads?: Mappings
  endpoints?: NonNullable<NonNullable<Given['config']>['platform']>['endpoints']
  /** How the platform speaks, and config's preset for it; by default as `facts`, without a preset. */
  dialect?: DialectName
  completeness?: NonNullable<Given['config']>['completeness']
}

/** Opens them at an instant; from then on the clock runs. */
export async function openPulled(
  start: string,
  pulls: NonNullable<Given['config']>['pulls'] = {},
  {
    destinations = {},
    jobs = {},
    mirror = 'all',
    kinds,
    payloads = {},
    endpoints = {},
    dialect,
    completeness,
  }: More = {},
): Promise<Pulled> {
  await using opened = new AsyncDisposableStack()
  const clock = createTestClock()
  clock.advance(Date.parse(start) - clock.now())
  const platform = opened.use(
    await startPlatform({ ...KEYS, seedCatalogue: false, now: clock.now, ...(dialect && { dialect }) }),
  )
  const port = await freePort()
  const spoken = dialect && { preset: dialect === 'facts' ? ('spec' as const) : dialect, baseUrl: platform.apiUrl }
  const hub = opened.use(
    await startTestHub({
      clock,
      destinations,
      config: {
        server: { port, publicUrl: `http://127.0.0.1:${port}` },
        platform: { baseUrl: platform.url, ...spoken, ...KEYS, payloads, endpoints },
        webhooks: { kinds: kinds ? [...kinds] : 'all' },
        // What was lost stays lost until a test asks for it.
        jobs: { 'resend-failed': '0 0 1 1 *', ...jobs },
        mirror,
        pulls: { movementColumns: COLUMNS, ...pulls },
        ...(completeness && { completeness }),
      },
    }),
  )
  const client = opened.use(createPlatform({ preset: 'spec', baseUrl: platform.url, ...KEYS }))
  await eventually(async () => {
    expect(platform.subscriptions()).toHaveLength((kinds ?? platform.kinds()).length)
    expect(await hub.hub.storage.stores()).not.toEqual([])
  })
  const open = opened.move()
  return {
    clock,
    platform,
    hub,
    async run(name) {
      const { body } = await hub.admin<{ note: string; problem: string | null }>(`jobs/${name}/run`, {})
      expect(body.problem).toBeNull()
      return body.note
    },
    beside(name, change = () => ({}), route = createRoute(flows, [MIRROR])) {
      const { logger } = createTestLogger()
      const job = createPulls({
        platform: { ...client, ...change(client) },
        storage: hub.hub.storage,
        inbox: createInbox(hub.hub.storage, createReader(createReading({ route }))),
        mirrored: 'all',
        soldFrom: [],
        listsDeliveries: true,
        pulls: hub.config.pulls,
        clock,
        logger,
      }).find((one) => one.name === name)
      if (!job) throw new Error(`There is no ${name}.`)
      return createRunner(job, clock.now)
    },
    lose: (all) => platform.faults.set({ drop: all ? 1 : 0 }),
    events: (kind) => keptIn(hub).filter((kept) => kept.kind === kind),
    mirror: (set) => hub.hub.storage.mirrorPage({ set }, null, 10_000),
    async quiet() {
      await platform.settled()
      await eventually(async () => (await waiting(hub)) === 0)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

export function said({ body }: Pick<Kept, 'body'>): Record<string, unknown> {
  return JSON.parse(body.toString())
}
