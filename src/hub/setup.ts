import type { RequestListener } from 'node:http'
import type { Router } from 'express'
import type { Reload } from '../admin/context.ts'
import { type HealthSources, lookAround } from '../admin/health.ts'
import { type Archive, openArchive } from '../archive/archive.ts'
import type { Config } from '../config/config.ts'
import { createOrderReader, createSettlementReader } from '../delivery/evidence/order-reader.ts'
import type { Witness } from '../delivery/evidence/witness.ts'
import { createWorker, type Worker } from '../delivery/worker.ts'
import type { Channels } from '../domain/catalogue/channel.ts'
import type { Doubt } from '../domain/health/health.ts'
import { knownPlace } from '../domain/places/store-index.ts'
import type { Misfit } from '../domain/values/errors.ts'
import type { Flow } from '../flows/flow.ts'
import { createInbox, createMemory } from '../inbox/accept.ts'
import { createCorrections } from '../inbox/corrections.ts'
import { createReaderAside } from '../inbox/reader-aside.ts'
import { createProofs, createReader, createReading } from '../inbox/reading.ts'
import { createToldApart, reparse, resumeUnread } from '../inbox/reroute.ts'
import { canCarryOut, createRoute, createWanted, type Routable, type Route, routeMisfits } from '../inbox/route.ts'
import { createJobs } from '../jobs/all.ts'
import { type Job, keptState } from '../jobs/engine/job.ts'
import { createScheduler } from '../jobs/engine/scheduler.ts'
import { leaveMisfits } from '../jobs/ledger/destinations/compare-destinations.ts'
import { type RetentionState, readRetentionState } from '../jobs/retention/pruning.ts'
import { keptSilences } from '../jobs/silence/silence.ts'
import { readCallback } from '../jobs/subscriptions/decide.ts'
import { knownSubscriptions } from '../jobs/subscriptions/known.ts'
import { acknowledgedKinds, schemaChanges } from '../jobs/subscriptions/schemas.ts'
import { keptSubscriptionFaults } from '../jobs/subscriptions/subscriptions.ts'
import type { Logger } from '../lib/logger.ts'
import type { Platform } from '../platform/platform.ts'
import { abilitiesOf } from '../ports/perform.ts'
import { createTaking } from '../receiver/intake/taking.ts'
import { customersOf, ordersOf } from '../receiver/lookups/ask.ts'
import { createLookups } from '../receiver/lookups/lookups.ts'
import { createWholeBodies } from '../receiver/submissions/body/whole-body.ts'
import { saleStoreMisfits } from '../receiver/submissions/stores.ts'
import { createDiskLook } from '../store/disk.ts'
import { requirePlace } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { openAlarms } from './alarms.ts'
import type { Base } from './base.ts'
import { createFaces } from './faces.ts'
import { openOutage } from './guards/outage.ts'
import {
  askedDestination,
  askedShops,
  createMisfitList,
  gatherTargets,
  type MisfitList,
  openPlatform,
  openSystems,
  type Systems,
  type Target,
} from './systems.ts'

/** Everything composed for one config. Disposing it closes what it opened. */
export interface Setup extends AsyncDisposable {
  config: Config
  listener: RequestListener
  names: string[]
  worker: Worker
  systems: Systems
  platform: Platform | null
  targets: readonly Target[]
  route: Route
  /** Starts work. `before`: a stopped worker that may have calls under way. Resolves when jobs are scheduled. */
  start(before: Worker | null): Promise<void>
  /** Stops scheduling; running jobs get `patience` ms. */
  stopJobs(patience: number): Promise<void>
}

interface Shared {
  reload: Reload
  doubts: () => readonly Doubt[]
}

/** Composes a hub from config; opens no socket, writes nothing. Throws a MisfitError listing every config issue. */
export async function createSetup(config: Config, folder: string, base: Base, hub: Shared): Promise<Setup> {
  await using opened = new AsyncDisposableStack()
  const misfits = createMisfitList()
  const { store, stores, flows, clock, random, logger } = base
  const { payloads: mappings, saleStores, stockWriters, trustWebhooks } = config.platform
  const { publicUrl } = config.server
  misfits.tried(['store', 'url'], () => requirePlace(config.store.url))
  const systems = await openSystems(config, folder, { opened, misfits })
  const { platform, asides } = openPlatform(config.platform, base, { opened, misfits })
  misfits.add(writerMisfits(stockWriters, systems.targets))
  const systemNames = systems.targets.map(({ name }) => name)
  misfits.add(leaveMisfits(config.completeness.destinations.leave, systemNames))
  misfits.add(saleStoreMisfits(saleStores, stores.index().stores))
  // Checks that need a system which could not be made would be noise.
  misfits.throwIfAny()

  const gathered = gatherTargets(config, base, systems, platform)
  const { targets, asked, soldFrom, stockOf, mirrored } = gathered
  const orders = createOrderReader(store, platform, {
    clock,
    trusts: trustWebhooks,
    mappings,
    kindAt: (url) => (publicUrl === undefined ? null : (readCallback(url, publicUrl)?.kind ?? null)),
    knownSubscriptions: () => knownSubscriptions(store, config.platform.webhooks.ids),
    storeName: (storeId) => stores.index().nameOfStore(storeId),
  })
  const worker = createWorker({
    store,
    eventLoop: base.eventLoop,
    destinations: targets,
    orders,
    settlements: createSettlementReader(platform),
    storeOf: (ref) => knownPlace(stores.index(), ref),
    flows,
    mappings,
    waits: base.guard.waits,
    clock,
    random,
    logger,
  })
  opened.defer(() => worker.stop(0))
  const { reached } = worker
  const scheduler = createScheduler({ store, reached, held: base.guard.holdsJobs, clock, logger })
  for (const told of [scheduler.clockWasSet, worker.clockWasSet]) opened.use(base.clockWatch.whenSet(told))
  const outage = opened.use(openOutage(base, scheduler))
  const { accept } = outage
  const { routables, route, owe, inbox } = openInbox(config, targets, base, { accept, opened, misfits })
  gathered.announceTo(inbox)
  const lookups = (['customers', 'orders'] as const).map((about) =>
    misfits.tried(['lookups', about], () => setupLookup(config, about, base, asked)),
  )

  const correct = createCorrections({ store, inbox, stockOf })
  const taking = createTaking({
    systems: systems.handing,
    inbox,
    store,
    storeIndex: stores.index,
    saleStores,
    stockWriters,
    wholeQuantities: platform?.stock.countsWhole() ?? false,
    clock,
    logger,
  })
  const archive = opened.use(setupArchive(config, store))
  const alarms = openAlarms(config, base, { systems, outage, opened, misfits })
  const names = targets.map(({ name }) => name)
  const { reload, doubts } = hub
  const { budgets, refusals } = base.traffic
  const bodies = opened.use(
    createWholeBodies({ budget: budgets.known, limits: config.server.limits, refused: refusals.note }),
  )
  const looking: HealthSources = {
    store,
    destinations: names,
    working: worker.status,
    storeNow: outage.look,
    disk: outage.disk,
    clockJump: base.clockWatch.jump,
    log: base.logTrouble,
    eventLoop: base.eventLoop.delay,
    jobs: scheduler,
    subscriptions: () => keptSubscriptionFaults(store),
    aside: asides.all,
    requests: () => ({
      connections: base.traffic.connections(),
      inHand: budgets.known.inHand() + budgets.unverified.inHand(),
      refused: refusals.counts(),
      refusedAt: refusals.places(),
    }),
    doubts,
    schemaChanges: async () => {
      const known = await acknowledgedKinds(store)
      return (await schemaChanges(store, flows)).filter(({ kind, at }) => at > (known.get(kind)?.at ?? 0))
    },
    silences: () => keptSilences(store),
    alarms,
    flows,
    thresholds: config.clocks,
    clock,
  }
  const shared = { platform, systems, routables, inbox, taking, correct, mirrored, looking, alarms, archive }
  const start = (job: string) => {
    scheduler.run(job).catch((err: unknown) => logger.warn({ err, job }, 'job.not-begun'))
  }
  misfits.tried(['jobs'], () => scheduler.add(composeJobs()))
  misfits.throwIfAny()
  const listener = createFaces(config, base, {
    ...shared,
    bodies,
    route,
    owe,
    lookups: lookups.flatMap((one) => one ?? []),
    worker,
    outage,
    scheduler,
    reload,
    retaining: {
      ages: config.retention,
      off: !config.retention.enabled,
      archive,
      room: createRoomLook(config.store.url),
      remembered: () => rememberedOf(store),
    },
  })
  const stopping = new AbortController()
  const { signal } = stopping
  /** Quarantined events may be readable with this config or version. */
  async function readLater(): Promise<void> {
    await resumeUnread({ store: { ...store, owe }, route, mappings, logger, signal })
    const { events } = await reparse({ store, inbox, signal }, {}, { by: 'hub', dryRun: false, act: null })
    if (events > 0) logger.info({ events }, 'events.readable-now')
  }
  let resuming: Promise<void> = Promise.resolve()
  const open = opened.move()

  return {
    config,
    listener,
    names,
    worker,
    systems,
    platform,
    targets,
    route,

    async start(before) {
      // After a reload deliveries do not wait for the jobs.
      if (before !== null) worker.start(before)
      alarms.watch.start()
      await scheduler.start()
      if (before === null) worker.start()
      void nameOrphans(store, names, logger)
      resuming = readLater().catch((err: unknown) => logger.warn({ err }, 'deliveries.not-resumed'))
      nameNotBorneOut(orders.witness, flows, routables, logger)
      // Warms up the first customer lookup.
      if (config.lookups.customers) void store.customerCount().catch(() => {})
    },

    async stopJobs(patience) {
      stopping.abort()
      await Promise.all([scheduler.stop(patience), resuming, alarms.watch[Symbol.asyncDispose]()])
    },

    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }

  function composeJobs(): Job[] {
    const { webhooks } = config.platform
    const operations = platform?.operations
    return createJobs({
      platform,
      store,
      searchIndex: base.searchIndex,
      inbox,
      publicUrl,
      kinds: webhooks.kinds,
      ids: webhooks.ids,
      subscribedStores: webhooks.stores,
      token: webhooks.tokens[0] ?? '',
      keyed: webhooks.eventIdHeader !== undefined,
      rate: config.platform.rate,
      schedules: config.jobs,
      mappings,
      intake: { systems: systems.handing, take: taking.take },
      onStores: stores.learn,
      reached,
      start,
      mirrored,
      wanted: createWanted(flows, routables),
      soldFrom,
      reconcile: { correct, stockOf, cap: config.reconcile.cap, shops: askedShops(systems.targets, reached) },
      masterData: {
        retail: config.platform.retailLists,
        settles: config.readBack.after,
        readsBack: !config.platform.dryRun,
      },
      listsDeliveries: operations?.isShown('deliveries.list') ?? false,
      pulls: config.pulls,
      saleColumns: config.pulls.saleColumns,
      storeIndex: stores.index,
      tills: config.completeness.tills,
      asked: { destinations: systems.targets.map(askedDestination), rules: config.completeness.destinations, flows },
      opening: config.silence,
      retention: {
        ages: config.retention.enabled ? config.retention : null,
        archive,
        room: createRoomLook(config.store.url),
      },
      alarms: { ...alarms.forJob, look: async () => (await lookAround(looking)).items },
      clock,
      logger,
    })
  }
}

function openInbox(
  { server, platform, retention }: Config,
  targets: readonly Target[],
  { store, stores, flows, ownFlows }: Base,
  { accept, opened, misfits }: { accept: Store['accept']; opened: AsyncDisposableStack; misfits: MisfitList },
) {
  const routables: Routable[] = targets.map((one) => ({ ...one, abilities: abilitiesOf(one.ports) }))
  misfits.add(routeMisfits(flows, routables))
  const route = createRoute(flows, routables, stores.index)
  const { limits } = server
  const { payloads: mappings } = platform
  const read = createReading({ route, proofs: createProofs(flows), limits, mappings })
  const reader = ownFlows
    ? createReader(read)
    : opened.use(createReaderAside({ read, routables, limits, mappings, stores: () => stores.index().stores }))
  const toldApart = createToldApart({ store, flows, mappings })
  const owe: Store['owe'] = async (event, deliveries, act) => store.owe(event, await toldApart(deliveries), act)
  const hasDropped = async () => retention.enabled && (await rememberedOf(store)).keysBound > 0
  const memory = createMemory(retention.keys, store.now, hasDropped)
  return { routables, route, owe, inbox: createInbox({ accept, event: store.event }, reader, toldApart, memory) }
}

/** Routes of one lookup. Throws a MisfitError. */
function setupLookup(
  { lookups }: Config,
  about: 'customers' | 'orders',
  { store, tillPriority, traffic, clock, logger }: Base,
  asked: Systems['asked'],
): Router {
  return createLookups({
    config: { [about]: lookups[about] },
    sources: {
      customers: asked.flatMap(({ name, ports, handsOver }) => customersOf(name, ports, handsOver)),
      orders: asked.flatMap(({ name, ports }) => ordersOf(name, ports, store.links)),
    },
    noteLookup: (lookup) => store.noteLookup(lookup),
    tillPriority,
    refused: traffic.refusals.note,
    clock,
    logger,
  })
}

/** A stock has one writer: a destination told the levels of a stock that it writes would get each change back. */
export function writerMisfits(
  writers: Readonly<Record<string, string>>,
  destinations: readonly { name: string; channels: Channels }[],
): Misfit[] {
  return destinations.flatMap(({ name, channels }) =>
    Object.entries(channels).flatMap(([location, { stocks }]) =>
      stocks
        .filter((stock) => writers[stock] === name)
        .map((stock) => ({
          path: ['platform', 'stockWriters', stock],
          found: `a second writer of stock ${stock}: ${name} is told its levels as well (${location})`,
          expected: `one writer: take the stock out here, or out of destinations.${name}`,
        })),
    ),
  )
}

/** Logs deliveries pending for destinations that config no longer has; they stay until moved. */
async function nameOrphans(store: Pick<Store, 'owed'>, names: readonly string[], logger: Logger): Promise<void> {
  try {
    for (const { destination, open } of await store.owed())
      if (!names.includes(destination)) logger.error({ destination, deliveries: open }, 'destination.not-in-config')
  } catch (error) {
    logger.warn({ err: error }, 'destination.not-counted')
  }
}

/** Logs which destinations get steps that are held because nothing verifies webhooks. */
function nameNotBorneOut(
  witness: Witness,
  flows: readonly Flow[],
  destinations: readonly Routable[],
  logger: Logger,
): void {
  if (witness !== 'nobody') return
  const claiming = flows.filter(({ claims }) => claims !== undefined)
  const held = destinations.filter((one) => claiming.some((flow) => canCarryOut(one, flow))).map(({ name }) => name)
  if (held.length > 0) logger.warn({ destinations: held, todo: REMEDY }, 'hub.orders-not-borne-out')
}

const REMEDY =
  'the platform cannot be asked, so what webhooks say of orders and refunds is held: set platform.baseUrl and its keys, or platform.trustWebhooks: true'

/** Null: none configured. */
function setupArchive({ retention }: Pick<Config, 'retention'>, store: Pick<Store, 'jobs'>): Archive | null {
  if (!retention.archive) return null
  return openArchive(retention.archive, async (where) => (await rememberedOf(store)).archive === where)
}

async function rememberedOf(store: Pick<Store, 'jobs'>): Promise<RetentionState> {
  return readRetentionState(await keptState(store, 'retention'))
}

function createRoomLook(url: string): () => Promise<number | null> {
  const look = createDiskLook(url)
  return async () => (await look())?.free ?? null
}
