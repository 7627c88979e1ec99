import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { parse, stringify } from 'yaml'
import { startBus } from '../../../../sandbox/bus/bus.ts'
import { freePort } from '../../../../sandbox/demo/free-port.ts'
import type { HubProcess } from '../../../../sandbox/demo/hub-process.ts'
import { ROOT, startFlags } from '../../../../sandbox/demo/start-flags.ts'
import type { World } from '../../../../sandbox/demo/world.ts'
import type { DialectName } from '../../../../sandbox/platform/dialects/dialect.ts'
import { startSandbox } from '../../../../sandbox/sandbox.ts'
import { createTestClock, type TestClock } from '../../../clock.ts'
import { eventually } from '../../../eventually.ts'
import { ADMIN_TOKEN, WEBHOOK_TOKEN } from '../../../hub.ts'
import { programEnv } from '../../../program-env.ts'
import { SALE_COLUMNS } from '../lists/lists-kit.ts'

/** Kinds that a second source can prove, where the platform has its list; of the others only the event log tells. */
const LISTED = ['SaleCreated', 'StockMovementCreated', 'POSSettlementCreated'] as const

export const UNLISTED = [
  'DeliveryUpdated',
  'OmniChannelEndlessAisleOrderCreated',
  'OmniChannelSendReceiptCreated',
] as const

/** Once in a year: what the soak is not about would take most of its time. */
const SELDOM = '0 0 1 1 *'

/** A sandbox, and a hub in a process of its own, that go by one clock which can be put forward. */
export interface WorldAtSpeed extends World {
  hub: SteeredHub
  clock: TestClock
}

/** Starts them at an instant, and waits until the hub has subscribed and looked at the log once. */
export async function startWorldAtSpeed(dialect: DialectName, start: string, seed: number): Promise<WorldAtSpeed> {
  await using opened = new AsyncDisposableStack()
  const clock = createTestClock()
  clock.advance(Date.parse(start) - clock.now())
  const folder = await mkdtemp(join(tmpdir(), 'tillbridge-two-weeks-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const erp = join(folder, 'erp')
  await mkdir(erp)
  const keys = {
    PLATFORM_API_KEY: 'key-of-the-user',
    PLATFORM_SUBSCRIPTION_KEY: 'key-of-the-company',
    SHOP_KEY: 'ck_shop_0123',
    SHOP_SECRET: 'cs_shop_0123',
    SHOP_WEBHOOK_SECRET: 'secret-of-the-webhooks',
    TEXTS_KEY: 'key-of-the-gateway',
    BUS_SECRET: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=',
  }
  const sandbox = opened.use(await startSandbox(keys, { dialect, seed, now: clock.now, seedCatalogue: false }))
  // What is signed is verified by the same clock.
  const bus = opened.use(await startBus({ secret: keys.BUS_SECRET, now: clock.now }))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const path = join(folder, 'tillbridge.yaml')
  await writeFile(path, stringify(await configOfTheDemo()))
  const env = {
    ...sandbox.env,
    ...{ ADMIN_TOKEN, WEBHOOK_TOKEN, POS_TOKEN: 'token-of-the-pos', ERP_FOLDER: erp },
    ...{ TILLBRIDGE_CONFIG: path, HUB_PORT: String(port), HUB_URL: url },
    BUS_URL: bus.url,
    STORE_URL: `file:${join(folder, 'tillbridge.db')}`,
  }
  const hub = opened.use(steeredHub(folder, url, env, clock))
  await hub.start()
  await eventually(() => sandbox.platform.subscriptions().length === LISTED.length + UNLISTED.length)
  const all = opened.move()
  return { ...sandbox, bus, hub, keys, folder, erp, clock, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** The demo's own config, with the names of columns that the second source needs, and fewer kinds. */
async function configOfTheDemo(): Promise<object> {
  const config = parse(await readFile(join(ROOT, 'config/demo.yaml'), 'utf8'))
  config.platform.webhooks.kinds = [...LISTED, ...UNLISTED]
  config.pulls = { saleColumns: SALE_COLUMNS, movementColumns: { id: 'STOCKMOVEMENTID', type: 'MoveType' } }
  const seldom = ['products', 'shop-orders', 'alarms', 'inactivity', 'read-back', 'schemas']
  config.jobs = Object.fromEntries(seldom.map((name) => [name, SELDOM]))
  return config
}

const ENTRY = fileURLToPath(new URL('./hub-at-speed.ts', import.meta.url))
const CLOCK = fileURLToPath(new URL('./machine-clock.mjs', import.meta.url))

/** A hub in a process of its own, at the clock of the test. */
interface SteeredHub extends HubProcess {
  readonly isUp: boolean
  /** It becomes later, here and there. A hub that is off sees it when it starts. */
  later(ms: number): Promise<void>
  start(): Promise<void>
  kill(): Promise<void>
}

/** Gets a hub ready that is not started yet. `env`: the values for its config's placeholders. */
function steeredHub(folder: string, url: string, env: Record<string, string>, clock: TestClock): SteeredHub {
  const log = join(folder, 'hub.log')
  let child: ChildProcess | null = null

  async function start(): Promise<void> {
    const output = openSync(log, 'a')
    const own = spawn(process.execPath, [...startFlags(), '--import', CLOCK, ENTRY], {
      cwd: ROOT,
      env: programEnv({ ...env, AHEAD: String(clock.now() - Date.now()) }),
      stdio: ['ignore', output, output, 'ipc'],
    })
    const ended = once(own, 'exit').then(() => 'ended')
    const started = once(own, 'message').then(() => 'started')
    if ((await Promise.race([started, ended])) === 'ended')
      throw new Error(`The hub did not start. It said:\n${readFileSync(log, 'utf8').slice(-4_000)}`)
    child = own
  }

  async function kill(): Promise<void> {
    if (child === null) return
    const own = child
    child = null
    const ended = once(own, 'exit')
    own.kill('SIGKILL')
    await ended
  }

  return {
    url,
    log,
    get isUp() {
      return child !== null
    },
    start,
    kill,
    async killAndRestart() {
      await kill()
      await start()
    },
    async later(ms) {
      clock.advance(ms)
      if (child === null) return
      const done = once(child, 'message')
      child.send(ms)
      await done
    },
    async admin<Body>(path: string, post?: object): Promise<Body> {
      const answer = await request(`${url}/admin/${path}`, {
        method: post ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${env.ADMIN_TOKEN}`, 'content-type': 'application/json' },
        body: post ? JSON.stringify(post) : null,
      })
      const text = await answer.body.text()
      if (answer.statusCode >= 300) throw new Error(`The hub said ${answer.statusCode} to /admin/${path}: ${text}`)
      return JSON.parse(text) as Body
    },
    [Symbol.asyncDispose]: kill,
  }
}
