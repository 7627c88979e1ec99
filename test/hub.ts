import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Agent, type Dispatcher, request } from 'undici'
import { afterAll, beforeAll, expect } from 'vitest'
import type { z } from 'zod'
import { loadAdapter } from '../src/adapters/index.ts'
import { type Hub, type Parts, startHub } from '../src/app/hub.ts'
import { Config } from '../src/config/config.ts'
import { createLogger } from '../src/lib/logger.ts'
import type { DeliveryRow, EventRow } from '../src/storage/rows.ts'
import { UNDERSTANDS } from './dialect.ts'
import { writeEmptyStore } from './empty-store.ts'
import { eventually } from './eventually.ts'
import { startWarmThread } from './warm-threads.ts'

/** Hubs that come and go on one file are given a folder that holds it. */
export { createFolder } from './folder.ts'

export const ADMIN_TOKEN = 'admin-token-of-the-tests'
export const WEBHOOK_TOKEN = 'webhook-token-of-the-tests'
export const OLD_WEBHOOK_TOKEN = 'old-webhook-token-of-the-tests'
const EVENT_ID = 'x-event-id'

type Written = z.input<typeof Config>
type Section<K extends 'server' | 'store' | 'log'> = Partial<NonNullable<Written[K]>>

export interface Given extends Omit<Parts, 'logger'> {
  /** As an operator writes them in YAML: `{ bus: { adapter: 'http', url, publish: 'all' } }`. */
  destinations?: Written['destinations']
  config?: {
    server?: Section<'server'>
    store?: Section<'store'>
    /** Where it asks, and with which keys; its webhooks stand below. */
    platform?: Omit<Partial<NonNullable<Written['platform']>>, 'webhooks'>
    webhooks?: Partial<NonNullable<NonNullable<Written['platform']>['webhooks']>>
    jobs?: Written['jobs']
    lookups?: Written['lookups']
    mirror?: Written['mirror'] | undefined
    pulls?: Written['pulls'] | undefined
    reconcile?: Written['reconcile'] | undefined
    readBack?: Written['readBack'] | undefined
    alarms?: Written['alarms'] | undefined
    inactivity?: Written['inactivity'] | undefined
    completeness?: Written['completeness'] | undefined
    retention?: Written['retention'] | undefined
    console?: Written['console'] | undefined
    tracing?: Written['tracing'] | undefined
    log?: Section<'log'>
  }
  /** Where its file is; without it, a folder of its own that goes when the hub does. */
  folder?: string
}

export interface Answer<Body> {
  status: number
  headers: Record<string, string>
  text: string
  /** As JSON; the text is not JSON: an empty object. */
  body: Body
}

interface Said {
  status: string | number
  id: number
  code?: string
  title?: string
  detail?: string
}

export type Line = { level: number; msg: string } & Record<string, unknown>

interface PostOptions {
  headers?: Record<string, string>
  token?: string | null
  subscription?: string
  eventId?: string
}

export interface TestHub extends AsyncDisposable {
  hub: Hub
  url: string
  folder: string
  file: string
  config: Config
  lines: Line[]
  /** Posts a webhook: an object as JSON, text and bytes as they are. */
  post(kind: string, body: unknown, options?: PostOptions): Promise<Answer<Said>>
  /** Asks `/admin/…` (`status`, `events?kind=…`); with `body` it posts. */
  admin<Body = Said>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<Body>>
  ask<Body = Said>(path: string, options?: Asked): Promise<Answer<Body>>
}

type Asked = Pick<Partial<Dispatcher.RequestOptions>, 'method' | 'body'> & { headers?: Record<string, string> }

/** A whole hub on a free port, on a real file. Its loop is watched where a test asks for that: a thread more takes a third of its start. */
export async function startTestHub(given: Given = {}): Promise<TestHub> {
  const own = given.folder === undefined
  const folder = given.folder ?? (await mkdtemp(join(tmpdir(), 'tillbridge-hub-')))
  if (given.config?.store?.url === undefined) await writeEmptyStore(join(folder, FILE))
  const lines: Line[] = []
  const logger = createLogger('debug', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const removeFolder = () => (own ? rm(folder, { recursive: true, force: true }) : Promise.resolve())
  const config = await createConfig(given, folder)
  const parts = { startThread: startWarmThread, ...given, logger }
  const hub = await startHub(config, folder, parts).catch(async (error: unknown) => {
    await removeFolder()
    throw error
  })
  const dispatcher = new Agent({ connections: 64 })

  async function ask<Body>(path: string, { method = 'GET', headers = {}, body = null }: Asked = {}) {
    const answer = await request(`${hub.url}${path}`, { dispatcher, method, headers, body })
    const text = await answer.body.text()
    const flat = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]))
    return { status: answer.statusCode, headers: flat, text, body: readJson(text) as Body }
  }

  return {
    hub,
    url: hub.url,
    folder,
    file: config.store.url.slice('file:'.length),
    config,
    lines,
    ask,
    post(kind, body, { headers = {}, token = WEBHOOK_TOKEN, subscription, eventId } = {}) {
      const path = `/webhooks/${kind}${subscription === undefined ? '' : `/${subscription}`}`
      return ask<Said>(token === null ? path : `${path}?token=${encodeURIComponent(token)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(eventId && { [EVENT_ID]: eventId }), ...headers },
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      })
    },
    admin(path, body, headers = {}) {
      const authorized = { authorization: `Bearer ${ADMIN_TOKEN}`, ...headers }
      if (body === undefined) return ask(`/admin/${path}`, { headers: authorized })
      const json = { ...authorized, 'content-type': 'application/json' }
      return ask(`/admin/${path}`, { method: 'POST', headers: json, body: JSON.stringify(body) })
    },
    async [Symbol.asyncDispose]() {
      await dispatcher.destroy()
      await hub[Symbol.asyncDispose]()
      await removeFolder()
    },
  }
}

/** One hub for all tests of a block: for tests that do not meet each other's events. */
export function shareHub(given: Given = {}): () => TestHub {
  let hub: TestHub | null = null
  beforeAll(async () => {
    hub = await startTestHub(given)
  })
  afterAll(() => hub?.[Symbol.asyncDispose]())
  return () => {
    if (!hub) throw new Error('The hub of this block is there in its tests only.')
    return hub
  }
}

/** A date that no story passes by, not even one of several years: the next leap day that is a Monday is in 2044. */
const NEVER = '0 0 29 2 1'

/** What the clock alone would start, in the middle of a story that puts it forward, runs when the story asks for it. */
const RUN_WHEN_ASKED = Object.fromEntries(
  [
    'settlements',
    'stock-levels',
    'stock-movements',
    'sales-lines',
    'goods-deliveries',
    'products',
    'read-back',
    'schemas',
    'reconcile-pos',
    'alarms',
    'backlog',
    'bulk-acts',
    'inactivity',
    'compress-payloads',
    'notices',
    'reconcile-lists',
    'retention',
  ].map((job) => [job, NEVER]),
)

/** A config as `loadConfig` makes it of a file, but that systems are known to be quick: a lookup that finds nothing proves it at once. */
async function createConfig({ destinations = {}, config = {} }: Given, folder: string): Promise<Config> {
  const parsed = await Config.parseAsync({
    server: { host: '127.0.0.1', port: 0, adminToken: ADMIN_TOKEN, ...config.server },
    store: { url: `file:${join(folder, FILE)}`, ...config.store },
    platform: {
      // A platform that is there is asked; webhooks that tests post without one are believed.
      trustWebhooks: config.platform?.baseUrl === undefined,
      ...UNDERSTANDS,
      ...config.platform,
      queue: { inDoubtFor: '0s', ...config.platform?.queue },
      webhooks: { tokens: [WEBHOOK_TOKEN, OLD_WEBHOOK_TOKEN], eventIdHeader: EVENT_ID, ...config.webhooks },
    },
    jobs: { ...RUN_WHEN_ASKED, ...config.jobs },
    lookups: config.lookups,
    mirror: config.mirror,
    pulls: config.pulls,
    reconcile: config.reconcile,
    readBack: config.readBack,
    destinations: Object.fromEntries(
      Object.entries(destinations).map(([name, one]) => [name, { ...one, queue: { inDoubtFor: '0s', ...one.queue } }]),
    ),
    alarms: config.alarms,
    inactivity: config.inactivity,
    completeness: config.completeness,
    retention: config.retention,
    console: config.console,
    tracing: config.tracing,
    log: config.log,
  } satisfies Written)
  const checked = parsed.destinations.map(async (one) => ({
    ...one,
    options: (await loadAdapter(one.adapter, folder)).options.parse(one.options),
  }))
  return { ...parsed, destinations: await Promise.all(checked) }
}

const FILE = 'tillbridge.db'

/** `publish: all` to a sink, as an operator writes it. */
export function busTo(url: string, more: object = {}) {
  return { adapter: 'http', url, publish: 'all' as const, ...more }
}

export async function deliveriesOf(hub: TestHub): Promise<DeliveryRow[]> {
  return (await hub.admin<{ deliveries: DeliveryRow[] }>('deliveries')).body.deliveries
}

/** Waits until exactly so many deliveries are in the file and all are done: nothing more can reach a sink. */
export async function allDelivered({ file }: TestHub, count: number): Promise<void> {
  using db = openFile(file)
  const states = db.prepare<[], string>('select state from deliveries').pluck()
  await eventually(() => expect(states.all()).toEqual(Array(count).fill('delivered')))
}

export interface Kept extends Pick<EventRow, 'id' | 'kind' | 'state' | 'subscription' | 'revision' | 'size'> {
  transportKey: string | null
  identity: string | null
  problem: string | null
  headers: Record<string, string>
  body: Buffer
}

/** Every event in the file, oldest first: much quicker than to ask the hub, which starts a thread to answer. */
export function keptIn({ file }: TestHub): Kept[] {
  using db = openFile(file)
  const rows = db.prepare<[], Kept & { headers: string }>(
    'select *, transport_key as transportKey from events join payloads on event_id = id order by id',
  )
  return rows.all().map((row) => ({ ...row, headers: JSON.parse(row.headers) }))
}

export function keptAs(hub: TestHub, id: number): Kept {
  const found = keptIn(hub).find((kept) => kept.id === id)
  if (!found) throw new Error(`There is no event ${id}.`)
  return found
}

export function openFile(file: string) {
  const db = new Database(file, { readonly: true })
  return Object.assign(db, { [Symbol.dispose]: () => void db.close() })
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
