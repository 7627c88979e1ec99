import type { Server } from 'node:http'
import express from 'express'
import type { AdapterInstance, Ports } from './adapters/adapter.ts'
import { createDirectoryPort } from './adapters/directory/directory.ts'
import { loadAdapter } from './adapters/load.ts'
import { createCountReader } from './adapters/mirror/counts.ts'
import { createMirrorPort } from './adapters/mirror/mirror.ts'
import { abilitiesOf } from './adapters/perform.ts'
import { createPlatformPort } from './adapters/platform/platform-port.ts'
import { createAdmin } from './admin/admin.ts'
import type { Config } from './config/config.ts'
import { createAsideBook } from './delivery/aside-book.ts'
import type { Destination } from './delivery/destination.ts'
import { nameNotBorneOut } from './delivery/not-borne-out.ts'
import { createOrderReader } from './delivery/order-reader.ts'
import { nameOrphans } from './delivery/orphans.ts'
import { createSettlementReader } from './delivery/settlement-reader.ts'
import { noteFile } from './delivery/standing/note-file.ts'
import { openStanding } from './delivery/standing/standing.ts'
import { createUseBook } from './delivery/use-book.ts'
import { createWorker } from './delivery/worker.ts'
import type { Channels } from './domain/channel.ts'
import { StoreUnavailableError, UserError } from './domain/errors.ts'
import { DIRECTORY, MIRROR, PLATFORM } from './domain/event.ts'
import type { Instant } from './domain/instant.ts'
import { knownPlace } from './domain/known-place.ts'
import { createStoreDirectory, type StoreDirectory } from './domain/store-directory.ts'
import type { StoreRecord } from './domain/store-record.ts'
import { toStoreLocal, wallClockInstant } from './domain/store-time.ts'
import type { Flow } from './flows/flow.ts'
import { flows as allFlows } from './flows/index.ts'
import { createInbox } from './inbox/accept.ts'
import { createCorrections } from './inbox/corrections.ts'
import { createProofs } from './inbox/proofs.ts'
import { createReader } from './inbox/reader.ts'
import { createReaderAside } from './inbox/reader-aside.ts'
import { createReading } from './inbox/reading.ts'
import { reroute } from './inbox/reroute.ts'
import { resumeUnread } from './inbox/resume-unread.ts'
import { createRoute, createWanted, type Routable } from './inbox/route.ts'
import { checkWriters } from './inbox/writers.ts'
import { createJobs } from './jobs/all.ts'
import { createScheduler } from './jobs/scheduler.ts'
import { keptSchemas } from './jobs/schemas.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { close, ListenError, listen } from './lib/http-server.ts'
import { createLogger, type Logger } from './lib/logger.ts'
import { createPlatform } from './platform/create-platform.ts'
import { levelsReader } from './platform/stock-status.ts'
import { createApiKeyCheck } from './receiver/api-key.ts'
import { createBudgets } from './receiver/budget.ts'
import { watchConnections } from './receiver/connections.ts'
import { createHealth } from './receiver/health.ts'
import { createIntake } from './receiver/intake/intake.ts'
import type { IntakeSystem } from './receiver/intake/system.ts'
import { createTaking } from './receiver/intake/taking.ts'
import { createListener } from './receiver/listener.ts'
import { createLookups } from './receiver/lookups/lookups.ts'
import { customersOf, ordersOf } from './receiver/lookups/source.ts'
import { createMirrorReads } from './receiver/mirror/mirror-reads.ts'
import { createPace } from './receiver/pace.ts'
import { nothingHere, problemHandler } from './receiver/problem.ts'
import { createRefusals } from './receiver/refusals.ts'
import { answerSafely } from './receiver/safe-headers.ts'
import { createServerFor } from './receiver/server.ts'
import { checkSaleStores, nameSaleStores } from './receiver/submissions/sale-stores.ts'
import { createSubmissions } from './receiver/submissions/submissions.ts'
import { createWebhooks } from './receiver/webhooks.ts'
import { createArticleStock } from './store/article-stock.ts'
import { narrowRights } from './store/file-rights.ts'
import { fileOf, isPostgres, openStore } from './store/open.ts'
import type { Store } from './store/store.ts'

/** A hub at work. Disposing it stops it in order; nothing is lost. */
export interface Hub extends AsyncDisposable {
  /** Where it listens. */
  url: string
  store: Store
  /**
   * Stops: requests and calls under way get so long to finish, and who has a connection gets `linger` to send one last
   * request on it (milliseconds).
   */
  stop(patience: number, linger?: number): Promise<void>
}

/** What a test may put in the place of the real thing. */
export interface Parts {
  flows?: readonly Flow[]
  clock?: Clock
  random?: () => number
  logger?: Logger
  /** How long the loop may stand still before it is noted over what (milliseconds); null: nobody watches it. */
  standsStill?: number | null
}

/** A destination that config says nothing of. */
const UNASKED = {
  publish: [],
  skip: [],
  stores: null,
  messages: [],
  channels: {},
  accounts: null,
  daily: { flows: [], closes: '03:00' },
}

/** The most of one call, and how long it waits for more: the platform takes 2 MB at once, and is asked rarely. */
const PLATFORM_BATCH = { items: 5_000, bytes: 2_000_000, linger: 1_000 }

/** Of own systems. Shops and tills wait for levels: little is lost by not waiting long for more. */
const BATCH = { items: 5_000, bytes: 16_000_000, linger: 100 }

/** Of questions to one system: its deadline is the till's, so that this one only frees the connection (milliseconds). */
const LOOKUP_LANE = { concurrency: 8, timeout: 30_000 }

/** Its own tables take few calls at once, and many rows in one. */
const OWN_TABLES = { ...UNASKED, lane: { concurrency: 1, timeout: 60_000 }, dryRun: false }

/** What is mirrored goes on to shops, so it waits for no more than comes in the same breath; what is taken must not wait for its commit long. */
const MIRROR_BATCH = { items: 500, bytes: 250_000, linger: 20 }

/** How long what is under way may take when the hub is disposed of (milliseconds). */
const DISPOSE_PATIENCE = 1_000

/** Long before a supervisor that asks for its health gives a hub up (milliseconds). */
const STANDS_STILL = 5_000

/** Builds a hub from its config and starts it. `folder`: where paths to adapters of the operator's own begin. */
export async function startHub(config: Config, folder: string, parts: Parts = {}): Promise<Hub> {
  const { flows = allFlows, clock: ownClock = systemClock, random = Math.random, standsStill = STANDS_STILL } = parts
  const logger = parts.logger ?? createLogger(config.log.level)
  /** What is open; if the hub cannot start, it is closed again. */
  await using opened = new AsyncDisposableStack()

  /** What hands orders over by itself, of the configured systems. */
  const handing: IntakeSystem[] = []
  /** What tills' questions go to: connections of their own, so that they never wait behind deliveries. */
  const asked: { name: string; ports: Ports; handsOver: boolean }[] = []
  const asksAnybody = config.lookups.customers !== undefined || config.lookups.orders !== undefined
  const systems = await Promise.all(
    config.destinations.map(async ({ adapter: adapterName, options, intake: orders, publish, ...rest }) => {
      const { name, lane } = rest
      const adapter = await loadAdapter(adapterName, folder)
      const open = ({ concurrency, timeout }: Destination['lane']): AdapterInstance => {
        const instance = adapter.create(options, { destination: name, timeout, concurrency })
        opened.defer(() => instance[Symbol.asyncDispose]())
        return instance
      }
      const { ports, intake, gathers = false } = open(lane)
      const { stores: places, country, reservationHours } = orders
      if (intake) handing.push({ name, intake, places, country, reservationHours })
      if (asksAnybody && (ports.customers?.search || ports.orders?.search))
        asked.push({ name, ports: open(LOOKUP_LANE).ports, handsOver: intake !== undefined })
      return { ...rest, ports, gathers, publish: publish ?? [], batch: BATCH }
    }),
  )

  narrowRights(config.store.url, (file) => logger.warn(file, 'store.readable-by-others'))
  const store = await openStore(config.store.url, {
    sameBytesWindow: config.platform.webhooks.sameBytesWindow,
    clock: ownClock.now,
    connections: config.store.connections,
    onOpening: (problem) =>
      problem === null ? logger.warn('store.opened') : logger.error({ problem }, 'store.cannot-open'),
  })
  opened.use(store)
  // Hubs of one store agree on the time, whatever their machines say.
  const clock: Clock = { ...ownClock, now: store.now, own: ownClock.now }

  const {
    webhooks,
    baseUrl,
    apiKey,
    subscriptionKey,
    lane,
    dryRun,
    saleStores,
    stockWriters,
    reserveOrders,
    ...others
  } = config.platform
  const { retailLists, trustWebhooks, payloads: mappings, ...dialect } = others
  const uses = createUseBook(store, clock, logger)
  const asides = createAsideBook(clock, logger)
  const platform =
    baseUrl && apiKey && subscriptionKey
      ? opened.use(createPlatform({ ...dialect, baseUrl, apiKey, subscriptionKey, uses, asides, clock: ownClock }))
      : null
  const destinations: (Destination & Omit<Routable, 'abilities'>)[] = [...systems]
  // What own systems submit goes to the platform as to any other destination.
  if (platform)
    destinations.push({
      ...UNASKED,
      name: PLATFORM,
      lane,
      dryRun,
      batch: PLATFORM_BATCH,
      ports: { platform: createPlatformPort(platform, { reservesOrders: reserveOrders }) },
    })

  let directory = createStoreDirectory(await knownStores(store))

  // Stock is mirrored for a shop that sells from it, everything where config asks for it.
  checkWriters(stockWriters, systems)
  const soldFrom = [
    ...new Set(systems.flatMap(({ ports, channels }) => (ports.stock?.setLevels ? stocksOf(channels) : []))),
  ]
  const levelsAreSellable = platform?.stock.areSellable() === true
  const stockOf = createArticleStock({ store, stocks: soldFrom, levelsAreSellable })
  const mirrored = config.mirror ?? (soldFrom.length > 0 ? 'stock' : null)
  // Customers are kept for a till that asks for them, and where everything is kept.
  if (config.lookups.customers || mirrored === 'all') {
    const ports = { customers: createDirectoryPort(store) }
    destinations.push({ ...OWN_TABLES, name: DIRECTORY, batch: BATCH, ports })
    asked.push({ name: DIRECTORY, ports, handsOver: false })
  }
  if (mirrored !== null) {
    const zoneOf = (stockId: string) => directory.zoneOfStock(stockId) ?? 'UTC'
    const instantOf = (stockId: string, wallClock: string) => wallClockInstant(wallClock, zoneOf(stockId))
    const wallClockOf = (stockId: string, instant: Instant) => toStoreLocal(instant, zoneOf(stockId)).slice(0, 19)
    const mirror = createMirrorPort({
      records: store,
      stockOf,
      instantOf,
      storeNoOf: (storeId) => directory.numberOfStore(storeId),
      levelsOfCounts: createCountReader({
        instantOf,
        wallClockOf,
        readLevels: platform && levelsReader(platform),
        now: clock.now,
      }),
      announce: (stock) => inbox.announce('StockChanged', MIRROR, stock, clock.now()),
      now: clock.now,
    })
    const skip = mirrored === 'stock' && flows.some(({ name }) => name === MIRROR) ? [MIRROR] : []
    destinations.push({ ...OWN_TABLES, name: MIRROR, batch: MIRROR_BATCH, skip, ports: { mirror } })
  }
  checkSaleStores(saleStores, directory.stores)
  const routables = destinations.map((one) => ({ ...one, abilities: abilitiesOf(one.ports) }))
  const route = createRoute(flows, routables, () => directory)
  const { limits, timeouts } = config.server
  const read = createReading({ route, proofs: createProofs(flows), limits, mappings })
  // Flows that a test brings stay in this thread.
  const reader = parts.flows
    ? createReader(read)
    : opened.use(createReaderAside({ read, routables, limits, mappings, stores: () => directory.stores }))
  const inbox = createInbox(store, reader)
  const correct = createCorrections({ store, inbox, stockOf })
  const orders = createOrderReader(store, platform, {
    clock,
    trusts: trustWebhooks,
    storeName: (storeId) => directory.nameOfStore(storeId),
  })
  const { url: storeUrl } = config.store
  const standing = opened.use(
    openStanding({
      path: noteFile(isPostgres(storeUrl) ? null : fileOf(storeUrl), folder, config.server.port),
      limit: standsStill,
      stateOf: async (delivery) => (await store.delivery(delivery))?.state ?? null,
      clock,
      logger,
    }),
  )
  const worker = createWorker({
    store,
    standing,
    destinations,
    orders,
    settlements: createSettlementReader(platform),
    storeOf: (ref) => knownPlace(directory, ref),
    flows,
    mappings,
    clock,
    random,
    logger,
  })
  const names = destinations.map(({ name }) => name)
  const knowStores = (known: StoreDirectory) => {
    directory = known
    nameSaleStores(saleStores, known, logger)
  }
  // Another hub's job has read them from the platform.
  store.onStores(() => {
    const read = async () => knowStores(createStoreDirectory(await store.stores()))
    read().catch((err: unknown) => logger.warn({ err }, 'hub.stores-not-read'))
  })
  const wholeQuantities = platform?.stock.countsWhole() ?? false
  const taking = createTaking({
    systems: handing,
    inbox,
    store,
    directory: () => directory,
    saleStores,
    stockWriters,
    wholeQuantities,
    clock,
    logger,
  })
  const jobs = createJobs({
    platform,
    store,
    inbox,
    publicUrl: config.server.publicUrl,
    kinds: webhooks.kinds,
    subscribedStores: webhooks.stores,
    token: webhooks.tokens[0] ?? '',
    schedules: config.jobs,
    mappings,
    intake: { systems: handing, take: taking.take },
    onStores: knowStores,
    mirrored,
    wanted: createWanted(flows, routables),
    soldFrom,
    reconcile: { correct, stockOf, cap: config.reconcile.cap, shops: askedShops(systems) },
    masterData: { retail: retailLists, settles: config.readBack.after, readsBack: !dryRun },
    listsDeliveries: platform?.operations.isShown('deliveries.list') ?? false,
    listsCounts: platform?.operations.isShown('counts.list') ?? false,
    tellsTotals: platform?.operations.isShown('aggregates.list') ?? false,
    pulls: config.pulls,
    clock,
    logger,
  })
  const scheduler = createScheduler({ jobs, store, clock, logger })

  let stopped: Promise<void> | null = null
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple').set('trust proxy', config.server.trustProxy)
  const budgets = opened.use(createBudgets(limits, timeouts))
  const refusals = opened.use(createRefusals(clock, logger))
  const refused = refusals.note
  answerSafely(app)
  const pace = createPace()
  const server = createServerFor(
    createListener(app, { refused, isStopping: () => stopped !== null }),
    timeouts,
    refused,
  )
  const connections = opened.use(
    watchConnections(server, {
      most: limits.connections,
      identify: timeouts.identify,
      cutOldest: () => budgets.known.cutOldest(),
      refused,
    }),
  )
  app.use(
    createWebhooks({
      inbox,
      pace,
      tokens: webhooks.tokens,
      eventIdHeader: webhooks.eventIdHeader ?? null,
      maxBody: config.server.maxBody,
      decoded: limits.decoded ?? config.server.maxBody,
      budget: budgets.known,
      refused,
      clock,
      logger,
    }),
  )
  const check = createApiKeyCheck({ store, refused, clock, logger })
  app.use(
    createSubmissions({
      check,
      inbox,
      store,
      directory: () => directory,
      platform,
      saleStores,
      stockWriters,
      shops: routables.filter(({ abilities }) => abilities.includes('orders.create')).map(({ name }) => name),
      wantsSubgroup: dialect.preset === 'frontsystems-v2',
      wholeQuantities,
      silence: timeouts.silence,
      budget: budgets.known,
      refused,
      clock,
      logger,
    }),
  )
  app.use(
    createMirrorReads({
      check,
      store,
      directory: () => directory,
      mirrored,
      keepsCustomers: config.lookups.customers !== undefined,
      logger,
    }),
  )
  app.use(
    createIntake({
      systems: handing,
      taking,
      maxBody: config.server.maxBody,
      budget: budgets.unverified,
      refused,
      logger,
    }),
  )
  app.use(
    createLookups({
      config: config.lookups,
      sources: {
        customers: asked.flatMap(({ name, ports, handsOver }) => customersOf(name, ports, handsOver)),
        orders: asked.flatMap(({ name, ports }) => ordersOf(name, ports, store.links)),
      },
      noteLookup: (lookup) => store.noteLookup(lookup),
      pace,
      refused,
      clock,
      logger,
    }),
  )
  app.use(createHealth(() => store.check()))
  app.use(
    createAdmin({
      store,
      platform,
      adminToken: config.server.adminToken,
      destinations: names,
      working: worker.status,
      aside: asides.all,
      requests: () => ({
        connections: connections.count(),
        inHand: budgets.known.inHand() + budgets.unverified.inHand(),
        refused: refusals.counts(),
      }),
      jobs: scheduler,
      reroute: (filter, dryRun) => reroute(store, route, filter, dryRun, mappings),
      correct,
      flows,
      refused,
      mappings,
      schemas: () => keptSchemas(store),
      thresholds: config.clocks,
      clock,
      logger,
    }),
  )
  app.use(nothingHere, problemHandler(logger, clock))
  const url = await listenAs(server, config.server)
  await scheduler.start()
  await standing.watching
  const open = opened.move()
  worker.start()
  logger.info({ url, destinations: names }, 'hub.started')
  void nameOrphans(store, names, logger)
  const stopping = new AbortController()
  const resuming = resumeUnread({ store, route, mappings, logger, signal: stopping.signal }).catch((err: unknown) =>
    logger.warn({ err }, 'deliveries.not-resumed'),
  )
  nameNotBorneOut(orders.witness, flows, routables, logger)
  // The till's first question should not wait for what answers it to be ready.
  if (config.lookups.customers) void store.customerCount().catch(() => {})

  async function stop(patience: number, linger: number) {
    stopping.abort()
    const listening = close(server, patience, linger)
    await Promise.all([listening, worker.stop(patience), scheduler.stop(patience), resuming])
    await open.disposeAsync()
    logger.info('hub.stopped')
  }

  function stopOnce(patience: number, linger = 0): Promise<void> {
    stopped ??= stop(patience, linger)
    return stopped
  }

  return { url, store, stop: stopOnce, [Symbol.asyncDispose]: () => stopOnce(DISPOSE_PATIENCE) }
}

/** Those that sell the platform's stock, and say what they have. */
function askedShops(systems: readonly { name: string; ports: Ports; channels: Channels }[]) {
  return systems.flatMap(({ name, ports: { stock }, channels }) =>
    stock?.readLevels ? [{ name, channels, readLevels: stock.readLevels.bind(stock) }] : [],
  )
}

/** The stocks of all channels. */
function stocksOf(channels: Channels): string[] {
  return Object.values(channels).flatMap(({ stocks }) => stocks)
}

/** A store that cannot be read yet knows none: the stores job makes up for it. */
async function knownStores(store: Store): Promise<StoreRecord[]> {
  try {
    return await store.stores()
  } catch (error) {
    if (error instanceof StoreUnavailableError) return []
    throw error
  }
}

/** Throws a UserError that names the two keys of config. */
async function listenAs(server: Server, { host, port }: Config['server']): Promise<string> {
  try {
    return await listen(server, { host, port })
  } catch (cause) {
    if (!(cause instanceof ListenError)) throw cause
    const why = `cannot listen on ${host}, port ${port} (server.host, server.port): ${cause.message}`
    throw new UserError(why, { cause })
  }
}
