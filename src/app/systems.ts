import type { z } from 'zod'
import type { AdapterInstance } from '../adapters/adapter.ts'
import { createDirectoryPort } from '../adapters/directory/directory.ts'
import { isPath, loadAdapter } from '../adapters/index.ts'
import { createCountReader, createMirrorPort } from '../adapters/mirror/mirror.ts'
import { createPlatformErasing } from '../adapters/platform/customers.ts'
import { createPlatformPort } from '../adapters/platform/platform-port.ts'
import type { Config } from '../config/config.ts'
import type { ArticleStock } from '../domain/catalogue/channel.ts'
import { DIRECTORY, MIRROR, PLATFORM } from '../domain/queue/event.ts'
import { type ConfigIssue, ConfigIssueError, configIssuesOf, UserError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import { toStoreLocal, wallClockInstant } from '../domain/values/store-time.ts'
import type { IntakeSystem } from '../http/order-feeds/order-feeds.ts'
import type { Inbox } from '../ingest/accept.ts'
import type { Routable } from '../ingest/route.ts'
import type { ReconcilableDestination } from '../jobs/reconciliation/comparison.ts'
import type { Logger } from '../lib/logger.ts'
import { createEndpointUseLog, createRejectedRowsLog, type HubRejectedRowsLog } from '../platform/http/operation-log.ts'
import { createPlatform, type Platform } from '../platform/platform.ts'
import { levelsReader } from '../platform/resources/stock.ts'
import type { Effect, OrdersPort, Ports } from '../ports/ports.ts'
import type { Destination } from '../queue/destination.ts'
import { createArticleStock, type StockOf } from '../storage/article-stock.ts'
import type { Infrastructure } from './infrastructure.ts'

export type Target = Destination & Omit<Routable, 'abilities'>

export interface Systems {
  targets: Target[]
  /** Order feeds. */
  orderFeeds: IntakeSystem[]
  /** For lookups, with connections of their own: they never wait behind deliveries. */
  lookupSources: { name: string; ports: Ports; handsOver: boolean }[]
  checked: ({ name: string } & Pick<AdapterInstance, 'healthCheck'>)[]
  searched: NonNullable<AdapterInstance['search']>[]
  /** By adapter; what an operator's own file calls a secret is not known to be all. */
  options: Map<string, z.ZodObject>
  /** For alarms, with connections of their own. */
  notifiable: { name: string; dryRun: boolean; mails: boolean; notify: NonNullable<AdapterInstance['notify']> | null }[]
}

/** Shops and POS wait for levels: linger briefly. */
const BATCH = { items: 5_000, bytes: 16_000_000, linger: 100 }

/** The lookup's own deadline is shorter; this one frees the connection (ms). */
const LOOKUP_QUEUE = { concurrency: 8, timeout: 30_000 }

const TIMEOUT_MS = 20_000

/** Default time in doubt: longer than web servers let a request run (ms). */
const IN_DOUBT_FOR = 5 * 60_000

/** Makes the adapters of all destinations; nothing is opened before the first call. */
export async function openSystems(
  { destinations, lookups, alarms }: Config,
  folder: string,
  { opened, configIssues }: { opened: AsyncDisposableStack; configIssues: ConfigIssueList },
): Promise<Systems> {
  const systems: Systems = {
    ...{ targets: [], orderFeeds: [], lookupSources: [], checked: [], searched: [], notifiable: [] },
    options: new Map(),
  }
  const isAsked = lookups.customers !== undefined || lookups.orders !== undefined
  for (const destination of destinations) {
    const { adapter: adapterName, options, intake: orders, publish, stocks: _, written: __, ...rest } = destination
    const { name, allowPrivate } = rest
    const adapter = await loadAdapter(adapterName, folder)
    if (!isPath(adapterName)) systems.options.set(adapterName, adapter.options)
    const queue = { ...rest.queue, timeout: rest.queue.timeout ?? adapter.patience ?? TIMEOUT_MS }
    const open = ({ concurrency, timeout }: Pick<Destination['queue'], 'concurrency' | 'timeout'>): AdapterInstance => {
      const instance = adapter.create(options, { destination: name, timeout, concurrency, allowPrivate })
      opened.defer(() => instance[Symbol.asyncDispose]())
      return instance
    }
    const instance = configIssues.tried(['destinations', name], () => open(queue))
    if (instance === null) continue
    const { ports, intake, gathers = false } = instance
    const inDoubtFor = queue.inDoubtFor ?? instance.inDoubtFor ?? IN_DOUBT_FOR
    const { stores: places, country, currencies, reservationHours, salesSince } = orders
    systems.targets.push({
      ...rest,
      queue: { ...queue, inDoubtFor },
      ports,
      gathers,
      publish: publish ?? [],
      batch: BATCH,
    })
    if (intake) systems.orderFeeds.push({ name, intake, places, country, currencies, reservationHours, salesSince })
    if (isAsked && (ports.customers?.search || ports.orders?.search))
      systems.lookupSources.push({ name, ports: open(LOOKUP_QUEUE).ports, handsOver: intake !== undefined })
    const healthCheck = instance.healthCheck?.bind(instance)
    systems.checked.push({ name, ...(healthCheck && { healthCheck }) })
    if (instance.search) systems.searched.push(instance.search.bind(instance))
    if (!Object.hasOwn(alarms.to, name)) continue
    const own = open({ ...queue, concurrency: 1 })
    const notify = own.notify?.bind(own) ?? null
    systems.notifiable.push({ name, dryRun: rest.dryRun, mails: own.ports.email !== undefined, notify })
  }
  return systems
}

/** Shops with levels of their own. `reached` is called after each answer. */
export function askedShops(targets: readonly Target[], reached: (destination: string) => void) {
  return targets.flatMap(({ name, ports: { stock }, channels }) => {
    if (!stock?.readLevels) return []
    const read = stock.readLevels.bind(stock)
    const readLevels = async (...asked: Parameters<typeof read>) => {
      const page = await read(...asked)
      reached(name)
      return page
    }
    return [{ name, channels, readLevels }]
  })
}

export function reconcilableDestination({ name, ports, dryRun, queue }: Target): ReconcilableDestination {
  return { name, ports, dryRun, timeout: queue.timeout }
}

export function createConfigIssueList() {
  const list: ConfigIssue[] = []

  return {
    add: (configIssues: readonly ConfigIssue[]) => void list.push(...configIssues),

    /** Makes a part of `path`; null after recording an issue. */
    tried<Part>(path: ConfigIssue['path'], make: () => Part): Part | null {
      try {
        return make()
      } catch (error) {
        if (!(error instanceof UserError)) throw error
        list.push(...configIssuesOf(error, path))
        return null
      }
    },

    throwIfAny(): void {
      if (list.length > 0) throw new ConfigIssueError(list)
    },
  }
}

type ConfigIssueList = ReturnType<typeof createConfigIssueList>

/** The platform takes 2 MB at once and is called rarely. */
const PLATFORM_BATCH = { items: 5_000, bytes: 2_000_000, linger: 1_000 }

const UNASKED = {
  publish: [],
  skip: [],
  stores: null,
  messages: [],
  channels: {},
  accounts: null,
  daily: { flows: [], closes: '03:00' },
}

export function openPlatform(
  { baseUrl, odataUrl, apiKey, subscriptionKey, preset, rate, endpoints, allowPrivate }: Config['platform'],
  { storage, clock, ownClock, logger }: Infrastructure,
  { opened, configIssues }: { opened: AsyncDisposableStack; configIssues: ConfigIssueList },
): { platform: Platform | null; rejectedRows: HubRejectedRowsLog } {
  const uses = createEndpointUseLog(storage, clock, logger)
  const rejectedRows = createRejectedRowsLog(clock, logger)
  if (!baseUrl || !apiKey || !subscriptionKey) return { platform: null, rejectedRows }
  const keys = { apiKey, subscriptionKey }
  const platform = configIssues.tried(['platform'], () =>
    createPlatform({
      ...{ ...keys, preset, baseUrl, odataUrl, allowPrivate, rate, endpoints, uses, rejectedRows, clock: ownClock },
    }),
  )
  return { platform: platform && opened.use(platform), rejectedRows }
}

function platformTarget(
  platform: Platform,
  { queue, dryRun, reserveOrders }: Pick<Config['platform'], 'queue' | 'dryRun' | 'reserveOrders'>,
): Target {
  const ports = {
    platform: createPlatformPort(platform, { reservesOrders: reserveOrders }),
    customers: createPlatformErasing(platform),
  }
  return { ...UNASKED, name: PLATFORM, queue, dryRun, batch: PLATFORM_BATCH, ports }
}

/** All destinations: systems of config, the platform, the hub's own tables. */
export function collectTargets(config: Config, base: Infrastructure, systems: Systems, platform: Platform | null) {
  const asked = [...systems.lookupSources]
  // Stock is mirrored for shops that sell from it, everything if config asks.
  const channelsOfShops = systems.targets.flatMap(({ ports, channels }) =>
    ports.stock?.setLevels ? Object.values(channels) : [],
  )
  const soldFrom = [...new Set(channelsOfShops.flatMap(({ stocks }) => stocks))]
  const levelsAreSellable = platform?.stock.areSellable() === true
  const stockOf = createArticleStock({ storage: base.storage, stocks: soldFrom, levelsAreSellable })
  // The inbox is made for all targets, and some of them announce stock to it.
  const made = Promise.withResolvers<Inbox>()
  const announce = async (stock: object) => {
    const inbox = await made.promise
    await inbox.announce('StockChanged', MIRROR, stock, base.clock.now())
  }
  const targets: Target[] = systems.targets.map((target) => tellingMoved(target, { stockOf, announce }, base.logger))
  if (platform) targets.push(platformTarget(platform, config.platform))
  const mirrored = config.mirror ?? (soldFrom.length > 0 ? 'stock' : null)
  // Customers are stored for the customer lookup alone.
  if (config.lookups.customers) {
    const ports = { customers: createDirectoryPort(base.storage) }
    targets.push({ ...OWN_TABLES, name: DIRECTORY, batch: DIRECTORY_BATCH, ports })
    asked.push({ name: DIRECTORY, ports, handsOver: false })
  }
  if (mirrored !== null) targets.push(mirrorTarget(base, { what: mirrored, platform, stockOf, announce }))
  return { targets, asked, soldFrom, stockOf, mirrored, announceTo: made.resolve }
}

const OWN_TABLES = { ...UNASKED, queue: { concurrency: 1, timeout: 60_000, inDoubtFor: 0 }, dryRun: false }

const DIRECTORY_BATCH = { items: 5_000, bytes: 16_000_000, linger: 100 }

/** Mirrored rows trigger shop levels: batch only what comes in the same tick. */
const MIRROR_BATCH = { items: 500, bytes: 250_000, linger: 20 }

function mirrorTarget(
  { storage, stores, flows, clock }: Infrastructure,
  { what, platform, stockOf, announce }: Telling & { what: 'all' | 'stock'; platform: Platform | null },
): Target {
  const zoneOf = (stockId: string) => stores.index().zoneOfStock(stockId) ?? 'UTC'
  const instantOf = (stockId: string, wallClock: string) => wallClockInstant(wallClock, zoneOf(stockId))
  const wallClockOf = (stockId: string, instant: Instant) => toStoreLocal(instant, zoneOf(stockId)).slice(0, 19)
  const { now } = clock
  const mirror = createMirrorPort({
    records: storage,
    stockOf,
    instantOf,
    storeNoOf: (storeId) => stores.index().numberOfStore(storeId),
    levelsOfCounts: createCountReader({ instantOf, wallClockOf, readLevels: platform && levelsReader(platform), now }),
    announce,
    now,
  })
  const skip = what === 'stock' && flows.some(({ name }) => name === MIRROR) ? [MIRROR] : []
  return { ...OWN_TABLES, name: MIRROR, batch: MIRROR_BATCH, skip, ports: { mirror } }
}

interface Telling {
  stockOf: StockOf
  announce(stock: ArticleStock & { again?: string }): Promise<void>
}

/** A shop that changes its stock with an order gets the level again. */
function tellingMoved(shop: Target, { stockOf, announce }: Telling, logger: Logger): Target {
  const { name, ports, channels } = shop
  const { orders } = ports
  const locations = Object.keys(channels)
  if (!orders || !ports.stock?.setLevels || locations.length === 0) return shop

  async function tellAgain(gtins: readonly string[]): Promise<void> {
    try {
      for (const gtin of new Set(gtins)) {
        const stock = await stockOf(gtin)
        if (stock) for (const again of locations) await announce({ ...stock, again })
      }
    } catch (err) {
      // The effect has happened; the next level or the weekly reconcile corrects the stock.
      logger.warn({ destination: name, err }, 'stock.not-sent-again')
    }
  }

  const methods = Object.entries(orders).map(([method, given]: [string, unknown]) => {
    if (typeof given !== 'function') return [method, given]
    const announcing = async (...args: unknown[]) => {
      const result: unknown = await given.apply(orders, args)
      await tellAgain((result as Effect | null | undefined)?.movedStock ?? [])
      return result
    }
    return [method, announcing]
  })
  return { ...shop, ports: { ...ports, orders: Object.fromEntries(methods) as OrdersPort } }
}
