import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import helmet from 'helmet'
import type { PortName } from './adapters/adapter.ts'
import { loadAdapter } from './adapters/load.ts'
import { createPlatformPort } from './adapters/platform/platform-port.ts'
import { createAdmin } from './admin/admin.ts'
import type { Config } from './config/config.ts'
import { createWorker } from './delivery/worker.ts'
import { StoreUnavailableError, UserError } from './domain/errors.ts'
import { PLATFORM } from './domain/event.ts'
import { createStoreDirectory, presentOf, type StoreDirectory } from './domain/store-directory.ts'
import type { StoreRecord } from './domain/store-record.ts'
import type { Flow } from './flows/flow.ts'
import { flows as allFlows } from './flows/index.ts'
import { createInbox } from './inbox/accept.ts'
import { reroute } from './inbox/reroute.ts'
import { createRoute } from './inbox/route.ts'
import { createJobs } from './jobs/all.ts'
import { createScheduler } from './jobs/scheduler.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { createLogger, type Logger } from './lib/logger.ts'
import { createPlatform } from './platform/create-platform.ts'
import { createApiKeyCheck } from './receiver/api-key.ts'
import { createHealth } from './receiver/health.ts'
import { nothingHere, problemHandler } from './receiver/problem.ts'
import { checkSaleStores } from './receiver/submissions/sale-stores.ts'
import { createSubmissions } from './receiver/submissions/submissions.ts'
import { createWebhooks } from './receiver/webhooks.ts'
import { openStore } from './store/open.ts'
import type { Store } from './store/store.ts'

/** A hub at work. Disposing it stops it in order; nothing is lost. */
export interface Hub extends AsyncDisposable {
  /** Where it listens. */
  url: string
  store: Store
  /** Stops: requests and calls under way get so long to finish (milliseconds). */
  stop(patience: number): Promise<void>
}

/** What a test may put in the place of the real thing. */
export interface Parts {
  flows?: readonly Flow[]
  clock?: Clock
  random?: () => number
  logger?: Logger
}

/** How long what is under way may take when the hub is disposed of (milliseconds). */
const DISPOSE_PATIENCE = 1_000

/** A catalogue over a thin line takes its time; Node would cut it after five minutes. Headers have their own minute (milliseconds). */
const LONGEST_REQUEST = 60 * 60_000

/** Builds a hub from its config and starts it. `folder`: where paths to adapters of the operator's own begin. */
export async function startHub(config: Config, folder: string, parts: Parts = {}): Promise<Hub> {
  const { flows = allFlows, clock = systemClock, random = Math.random } = parts
  const logger = parts.logger ?? createLogger(config.log.level)
  /** What is open; if the hub cannot start, it is closed again. */
  await using opened = new AsyncDisposableStack()

  const systems = await Promise.all(
    config.destinations.map(async ({ name, adapter, options, lane, dryRun, publish, skip, stores }) => {
      const { ports, [Symbol.asyncDispose]: dispose } = (await loadAdapter(adapter, folder)).create(options, {
        destination: name,
        timeout: lane.timeout,
        concurrency: lane.concurrency,
      })
      opened.defer(dispose)
      return { name, ports, lane, dryRun, publish: publish ?? [], skip, stores }
    }),
  )

  const { webhooks, baseUrl, apiKey, subscriptionKey, lane, dryRun, saleStores, ...dialect } = config.platform
  const platform =
    baseUrl && apiKey && subscriptionKey
      ? opened.use(createPlatform({ ...dialect, baseUrl, apiKey, subscriptionKey, clock }))
      : null
  // What own systems submit goes to the platform as to any other destination.
  const toPlatform = { name: PLATFORM, lane, dryRun, publish: [], skip: [], stores: null }
  const destinations = platform
    ? [...systems, { ...toPlatform, ports: { platform: createPlatformPort(platform) } }]
    : systems

  const store = await openStore(config.store.url, {
    sameBytesWindow: config.platform.webhooks.sameBytesWindow,
    clock: clock.now,
    onOpening: (problem) =>
      problem === null ? logger.warn('store.opened') : logger.error({ problem }, 'store.cannot-open'),
  })
  opened.use(store)
  let directory = createStoreDirectory(await knownStores(store))
  checkSaleStores(saleStores, directory.stores)
  const route = createRoute(
    flows,
    destinations.map((one) => ({ ...one, ports: Object.keys(one.ports) as PortName[] })),
    () => directory,
  )
  const inbox = createInbox(store, route)
  const worker = createWorker({ store, destinations, flows, clock, random, logger })
  const names = destinations.map(({ name }) => name)
  const jobs = createJobs({
    platform,
    store,
    inbox,
    publicUrl: config.server.publicUrl,
    kinds: webhooks.kinds,
    token: webhooks.tokens[0] ?? '',
    schedules: config.jobs,
    onStores: (known) => {
      directory = known
      nameSaleStores(saleStores, known, logger)
    },
    clock,
    logger,
  })
  const scheduler = createScheduler({ jobs, store, clock, logger })

  let stopped: Promise<void> | null = null
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple')
  app.use(helmet())
  app.use((_, response, next) => {
    if (stopped !== null) response.set('Connection', 'close')
    next()
  })
  app.use(
    createWebhooks({
      inbox,
      tokens: webhooks.tokens,
      eventIdHeader: webhooks.eventIdHeader ?? null,
      maxBody: config.server.maxBody,
      clock,
      logger,
    }),
  )
  app.use(
    createSubmissions({
      check: createApiKeyCheck({ store, clock, logger }),
      inbox,
      store,
      directory: () => directory,
      platform,
      saleStores,
      wantsSubgroup: dialect.preset === 'frontsystems-v2',
      clock,
      logger,
    }),
  )
  app.use(createHealth(() => store.check()))
  app.use(
    createAdmin({
      store,
      adminToken: config.server.adminToken,
      destinations: names,
      working: worker.status,
      jobs: scheduler,
      reroute: (filter, dryRun) => reroute(store, route, filter, dryRun),
      clock,
      logger,
    }),
  )
  app.use(nothingHere, problemHandler(logger, clock))

  const server = createServer({ requestTimeout: LONGEST_REQUEST }, app)
  const url = await listen(server, config.server)
  await scheduler.start()
  const open = opened.move()
  worker.start()
  logger.info({ url, destinations: names }, 'hub.started')
  void nameOrphans(store, names, logger)

  async function stop(patience: number) {
    const listening = close(server, patience)
    await Promise.all([listening, worker.stop(patience), scheduler.stop(patience)])
    await open.disposeAsync()
    logger.info('hub.stopped')
  }

  function stopOnce(patience: number): Promise<void> {
    stopped ??= stop(patience)
    return stopped
  }

  return { url, store, stop: stopOnce, [Symbol.asyncDispose]: () => stopOnce(DISPOSE_PATIENCE) }
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

async function listen(server: Server, { host, port }: Config['server']): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) => {
      const why = LISTEN_FAULTS[cause.code ?? ''] ?? cause.message
      reject(new UserError(`cannot listen on ${host}, port ${port} (server.host, server.port): ${why}`, { cause }))
    }
    server.once('error', refuse).listen(port, host, () => {
      server.off('error', refuse)
      resolve()
    })
  })
  const { port: actual } = server.address() as AddressInfo
  return `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${actual}`
}

const LISTEN_FAULTS: Record<string, string> = {
  EADDRINUSE: 'another program listens there already',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such name',
}

/** Takes no new connection, lets requests under way finish, and ends what is left after a while. */
async function close(server: Server, patience: number): Promise<void> {
  const end = setTimeout(() => server.closeAllConnections(), patience)
  // A connection that was answered just before is idle only now.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  clearInterval(sweep)
  clearTimeout(end)
}

/** At the first start no stores were known, and stores go: config may name one that is not there. */
function nameSaleStores(saleStores: Record<string, string>, known: StoreDirectory, logger: Logger): void {
  try {
    checkSaleStores(saleStores, presentOf(known.stores))
  } catch (error) {
    logger.error({ problem: error instanceof Error ? error.message : String(error) }, 'config.sale-store')
  }
}

/** Deliveries owed to a destination that config does not have any more are named at start; they stay until moved. */
async function nameOrphans(store: Store, names: readonly string[], logger: Logger): Promise<void> {
  try {
    for (const { destination, open } of await store.owed())
      if (!names.includes(destination)) logger.error({ destination, deliveries: open }, 'destination.not-in-config')
  } catch (error) {
    logger.warn({ err: error }, 'destination.not-counted')
  }
}
