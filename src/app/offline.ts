import { createHash } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { type LoadedConfig, located } from '../config/load.ts'
import type { Link } from '../domain/orders/link.ts'
import { PERSONAL_FIELDS, plainName } from '../domain/privacy/personal-fields.ts'
import { deliveryKey, type Event } from '../domain/queue/event.ts'
import { createStoreIndex, type IndexedStore, resolveStore } from '../domain/stores/store-index.ts'
import { RetryLaterError, UserError } from '../domain/values/errors.ts'
import type { Flow, Sources } from '../flows/flow.ts'
import { flows as allFlows, flows } from '../flows/index.ts'
import { createPosPriority } from '../http/pos-priority.ts'
import { createReading } from '../ingest/parse.ts'
import { plannedAgain, walkEvents } from '../ingest/reroute.ts'
import { systemClock } from '../lib/clock.ts'
import { evaluate } from '../lib/jsonata.ts'
import { createLogger } from '../lib/logger.ts'
import { mappedEvent } from '../platform/payloads/mapping/mapping.ts'
import { begin, prepare } from '../queue/call.ts'
import { createOrderReader } from '../queue/order-reader.ts'
import type { NewDelivery } from '../storage/arrival.ts'
import { NEVER_TRIED } from '../storage/claim.ts'
import type { StorageReading } from '../storage/open.ts'
import type { EventDetail, EventFilter } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { createSetup, type Setup } from './compose.ts'
import { createDiskGuard, createStoreIndexCache, type Infrastructure } from './infrastructure.ts'
import { createTrafficSwitch } from './traffic-switch.ts'

/** A hub that is composed but inert. */
export type Offline = Pick<Setup, 'systems' | 'platform' | 'targets' | 'route' | 'actingOn' | 'unverified'> &
  AsyncDisposable

/**
 * Composes a hub as a start would, on an unopened storage: nothing is asked, written or left behind. Throws a ConfigIssueError listing every
 * config issue.
 */
export async function createOffline(
  config: Config,
  folder: string,
  flows: readonly Flow[],
  stores: readonly IndexedStore[] = [],
): Promise<Offline> {
  await using opened = new AsyncDisposableStack()
  const logger = createLogger('silent', { write() {} })
  const clock = systemClock
  const { traffic } = opened.use(createTrafficSwitch(config.server, { clock, logger }))
  const storage = unopened()
  const disk = async () => null
  const base: Infrastructure = {
    storage,
    stores: createStoreIndexCache(stores),
    eventLoop: { hasStalledSince: () => false, delay: () => ({ p50Ms: 0, p99Ms: 0, maxMs: 0 }), [Symbol.dispose]() {} },
    searchIndex: { catchUp: async () => true },
    traffic,
    posPriority: createPosPriority(),
    disk,
    guard: opened.use(createDiskGuard({ look: disk, clock, logger })),
    clockWatch: { jump: () => null, onJump: () => ({ [Symbol.dispose]() {} }), [Symbol.dispose]() {} },
    flows,
    ownFlows: true,
    clock,
    ownClock: clock,
    random: Math.random,
    logger,
    logFailure: () => null,
  }
  const setup = opened.use(
    await createSetup(config, folder, base, { reload: () => Promise.reject(NO_RELOAD), warnings: () => [] }),
  )
  const open = opened.move()
  const { systems, platform, targets, route, actingOn, unverified } = setup
  return { systems, platform, targets, route, actingOn, unverified, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** The same of a config file. Throws a ConfigError with every issue and its line. */
export async function composeLoaded(loaded: LoadedConfig, stores?: readonly IndexedStore[]): Promise<Offline> {
  return await createOffline(loaded.config, loaded.folder, allFlows, stores).catch((error: unknown) => {
    throw located(error, loaded)
  })
}

/** A storage on which every call fails. */
function unopened(): Storage {
  const deaf = () => () => {}
  const closed = () => Promise.reject(new Error('The store is not opened to put a hub together.'))
  return new Proxy({} as Storage, { get: (_, name) => (name === 'onWork' || name === 'onStores' ? deaf : closed) })
}

const NO_RELOAD = new UserError('This hub does not run.')

export interface ReplayedCall {
  event: number
  kind: string
  destination: string
  flow: string
  part: string
  entity: string | null
  /** `orders.create`; null: no call. */
  method: string | null
  /** Leaves of its argument by path, personal data masked. */
  fields: Readonly<Record<string, string>>
  /** Why no call is made or sent; null: it would be sent. */
  why: string | null
}

export type Replayed = Awaited<ReturnType<typeof replayCalls>>

/**
 * The calls that a hub with this config would make of recorded events, planned and prepared by the code that delivers. Nothing is sent:
 * the storage is only read; destinations and the platform are not asked. Throws what a start would throw.
 *
 * Each event is taken as if only the replay had acted before it. A platform that verifies webhooks is taken to confirm.
 */
export async function replayCalls(
  loaded: LoadedConfig,
  reading: StorageReading,
  {
    ids,
    limit,
    ...filter
  }: Pick<EventFilter, 'kind' | 'entity' | 'since' | 'until'> & { ids: number[]; limit: number },
  signal: AbortSignal,
) {
  const { payloads: mappings, trustWebhooks } = loaded.config.platform
  const stores = await reading.storeRows()
  await using hub = await composeLoaded(loaded, stores)
  const { route, platform } = hub
  const index = createStoreIndex(stores)
  const read = createReading({ route, mappings })
  // What the storage would have of the calls so far.
  const once = new Set<string>()
  const effects = new Set<string>()
  const links = new Map<string, Link>()
  const sources: Sources = {
    links: async (destination, kind, ids) =>
      [...links.values()].filter((one) => one.destination === destination && one.kind === kind && ids.includes(one.id)),
    effectsOf: async (state, beginning) =>
      state === 'skipped' ? [] : [...effects].filter((effect) => effect.startsWith(beginning)),
    // Pending deliveries of today were not pending then.
    deliveries: async () => [],
    find: async () => [],
    event: reading.event,
    orders: createOrderReader(reading, null, {
      clock: systemClock,
      trusts: trustWebhooks || platform !== null,
      storeName: index.nameOfStore,
    }),
    settlements: async () => {
      if (platform === null) return null
      throw new RetryLaterError('a replay does not ask the platform for it', { code: 'not-asked' })
    },
    storeOf: (ref) => resolveStore(index, ref),
  }

  /** Null: the event cannot be planned. */
  function planOf({ body, ...row }: EventDetail): { event: Event; steps: NewDelivery[] } | null {
    // A quarantined event that became readable was ingested again as its own event.
    if (body === null || (row.state === 'quarantined' && row.dismissedAt !== null)) return null
    const event = { ...row, body }
    if (row.state !== 'quarantined') return { event, steps: route(plannedAgain(row, body, mappings)) }
    const { problem, identity, deliveries } = read({ ...event, unreadable: null })
    return problem === null ? { event: { ...event, identity }, steps: deliveries } : null
  }

  async function callOf(event: Event, step: NewDelivery): Promise<ReplayedCall | null> {
    const { part, entity, effect = null } = step
    const flow = flows.find(({ name }) => name === step.flow)
    const destination = hub.targets.find(({ name }) => name === step.destination)
    if (!flow || !destination) return null
    if (step.once) {
      const key = deliveryKey(event, flow.name, part, effect)
      const name = step.each ? `${destination.name} ${key}` : key
      if (once.has(name)) return null
      once.add(name)
    }
    const claim = {
      ...{ fence: 0, unchanged: false, stale: false, invalidated: null },
      delivery: { ...step, ...NEVER_TRIED, id: 0, effect, released: null },
      event: flow.port === 'publish' ? event : mappedEvent(event, mappings, evaluate),
    }
    const limits = { clock: systemClock, timeout: destination.queue.timeout, underWay: new Map() }
    // With dryRun the call would be a note, unmasked.
    const one = begin(claim, flow, destination, sources, systemClock.now())
    await prepare(one, flow, { ...destination, dryRun: false }, sources, limits)
    const head = { event: event.id, kind: event.kind, destination: destination.name, flow: flow.name, part, entity }
    if (one.call === null) {
      const { outcome } = one
      const why = !outcome || outcome.type === 'delivered' ? null : `${OUTCOMES[outcome.type]}: ${outcome.why}`
      return { ...head, method: null, fields: {}, why }
    }
    const { port, method, argument } = one.call
    for (const link of one.kept) links.set(JSON.stringify([link.destination, link.kind, link.id, link.theirId]), link)
    if (effect !== null && !destination.dryRun) effects.add(effect)
    const why = destination.dryRun ? 'dryRun: it would be recorded, not sent' : null
    return { ...head, method: `${port}.${method}`, fields: shownFields(argument), why }
  }

  const chosen = [...ids]
  // One more shows if there are more.
  const part = { after: 0, most: limit + 1 }
  if (ids.length === 0)
    await walkEvents(reading, filter, part, async (page) => void chosen.push(...page.map(({ id }) => id)), signal)
  const result = { events: 0, left: 0, more: chosen.length > limit, calls: [] as ReplayedCall[] }
  for (const id of chosen.slice(0, limit)) {
    signal.throwIfAborted()
    const event = await reading.event(id)
    const plan = event && planOf(event)
    if (plan) {
      result.events += 1
      for (const step of plan.steps) {
        const call = await callOf(plan.event, step)
        if (call) result.calls.push(call)
      }
    } else result.left += 1
  }
  signal.throwIfAborted()
  return result
}

const OUTCOMES = {
  superseded: 'nothing is left to do',
  retry: 'it would wait',
  wait: 'it would wait',
  held: 'it would be held',
  dead: 'it would be dead',
  unknown: 'nobody can tell',
} as const

/** The argument of a call for operators: leaves by path (`lines.0.gtin`), personal data and free text as their length. */
export function shownFields(argument: unknown): Record<string, string> {
  const fields: Record<string, string> = {}
  add(argument, '')
  return fields

  function add(value: unknown, path: string): void {
    if (value === undefined) return
    if (value === null || typeof value !== 'object' || value instanceof Uint8Array) {
      fields[path] = shown(value, path)
      return
    }
    const entries = Object.entries(value)
    // Present but empty.
    if (entries.length === 0) fields[path] = Array.isArray(value) ? '[]' : '{}'
    for (const [key, inner] of entries) add(inner, path === '' ? key : `${path}.${key}`)
  }
}

/** Paths under which personal data may be. */
const PERSONAL =
  /customer|person|mail|phone|name|address|birth|formatted|signature|url|seller|cashier|employee|user|comment|note|text|(?:^|\.)to(?:\.|$)/i

/** Numbers, ids, codes and times. */
const PLAIN = /^[\p{L}\d._:/%+[\]{}()-]{1,60}$/u

function shown(value: unknown, path: string): string {
  if (value instanceof Uint8Array)
    return `${value.byteLength} bytes (${createHash('sha256').update(value).digest('hex').slice(0, 12)})`
  const text = String(value)
  if (value === null || typeof value === 'boolean') return text
  const isPersonal = PERSONAL.test(path) || path.split('.').some((name) => PERSONAL_FIELDS.has(plainName(name)))
  return !isPersonal && PLAIN.test(text) ? text : `… (${[...text].length} signs)`
}
