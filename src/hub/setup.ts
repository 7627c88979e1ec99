import type { RequestListener } from 'node:http'
import express, { type Router } from 'express'
import { createAdmin } from '../admin/admin.ts'
import type { Reload } from '../admin/context.ts'
import { type HealthSources, lookAround } from '../admin/health.ts'
import { type Archive, openArchive } from '../archive/archive.ts'
import type { Config } from '../config/config.ts'
import { createOrderReader, createSettlementReader } from '../delivery/evidence/order-reader.ts'
import { createWorker, type Worker } from '../delivery/worker.ts'
import { STORE_RULE } from '../domain/alarms/rules.ts'
import type { Channels } from '../domain/catalogue/channel.ts'
import type { Doubt } from '../domain/health/health.ts'
import { type Metric, metricsOf } from '../domain/metrics/hub-metrics.ts'
import { knownPlace } from '../domain/places/store-index.ts'
import type { Misfit } from '../domain/values/errors.ts'
import type { Flow } from '../flows/flow.ts'
import { createInbox, createMemory } from '../inbox/accept.ts'
import { createCorrections } from '../inbox/corrections.ts'
import { createReaderAside } from '../inbox/reader-aside.ts'
import { createProofs, createReader, createReading } from '../inbox/reading.ts'
import { createToldApart, reparse, resumeUnread } from '../inbox/reroute.ts'
import { canCarryOut, createRoute, createWanted, type Routable, routeMisfits } from '../inbox/route.ts'
import { createJobs } from '../jobs/all.ts'
import { type Job, keptState } from '../jobs/engine/job.ts'
import { createScheduler } from '../jobs/engine/scheduler.ts'
import { leaveMisfits } from '../jobs/ledger/destinations/compare-destinations.ts'
import { type RetentionState, readRetentionState } from '../jobs/retention/pruning.ts'
import { keptSilences } from '../jobs/silence/silence.ts'
import { knownSubscriptions, readCallback } from '../jobs/subscriptions/decide.ts'
import { acknowledgedKinds, keptSchemas, schemaChanges } from '../jobs/subscriptions/schemas.ts'
import { keptSubscriptionFaults } from '../jobs/subscriptions/subscriptions.ts'
import type { Logger } from '../lib/logger.ts'
import { OWN_VERSION } from '../lib/own-version.ts'
import { wantsSubgroup } from '../platform/http/endpoints.ts'
import type { Platform } from '../platform/platform.ts'
import { abilitiesOf } from '../ports/perform.ts'
import { createApiKeyCheck } from '../receiver/api-key.ts'
import { createCompletenessRead } from '../receiver/completeness/completeness-read.ts'
import { createIntake } from '../receiver/intake/intake.ts'
import { createTaking } from '../receiver/intake/taking.ts'
import { customersOf, ordersOf } from '../receiver/lookups/ask.ts'
import { createLookups } from '../receiver/lookups/lookups.ts'
import { createHealth, createMetrics } from '../receiver/metrics/metrics.ts'
import { createMirrorReads } from '../receiver/mirror/mirror-reads.ts'
import { nothingHere, problemHandler } from '../receiver/problem.ts'
import { answerSafely, otherMethod } from '../receiver/server.ts'
import { createWholeBodies } from '../receiver/submissions/body/whole-body.ts'
import { saleStoreMisfits } from '../receiver/submissions/stores.ts'
import { createSubmissions } from '../receiver/submissions/submissions.ts'
import { createWebhooks } from '../receiver/webhooks.ts'
import { requirePlace } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { openAlarms } from './alarms.ts'
import type { Base } from './base.ts'
import { openOutage } from './guards/outage.ts'
import { createCompletenessContext } from './subscriptions.ts'
import {
  askedDestination,
  askedShops,
  createMisfitList,
  gatherTargets,
  openPlatform,
  openSystems,
  type Systems,
} from './systems.ts'

/** Disposing it closes what it opened. */
export interface Setup extends AsyncDisposable {
  config: Config
  listener: RequestListener
  names: string[]
  worker: Worker
  systems: Systems
  platform: Platform | null
  /** Destinations with a flow that acts on events of this kind, `publish` aside. */
  actingOn(kind: string): string[]
  /** Destinations whose steps about orders and refunds are held: nothing verifies what webhooks say of them. */
  unverified: readonly string[]
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
export async function createSetup(
  config: Config,
  folder: string,
  base: Base,
  { reload, doubts }: Shared,
): Promise<Setup> {
  await using opened = new AsyncDisposableStack()
  const misfits = createMisfitList()
  const { store, stores, flows, clock, random, logger } = base
  const { budgets, refusals } = base.traffic
  const { server, retention } = config
  const { payloads: mappings, saleStores, stockWriters, trustWebhooks, webhooks } = config.platform
  const { publicUrl } = server
  const refused = refusals.note
  const storeIndex = stores.index

  misfits.tried(['store', 'url'], () => requirePlace(config.store.url))
  const systems = await openSystems(config, folder, { opened, misfits })
  const { platform, asides } = openPlatform(config.platform, base, { opened, misfits })
  misfits.add(writerMisfits(stockWriters, systems.targets))
  const systemNames = systems.targets.map(({ name }) => name)
  misfits.add(leaveMisfits(config.completeness.destinations.leave, systemNames))
  misfits.add(saleStoreMisfits(saleStores, storeIndex().stores))
  // Checks that need a system which could not be made would be noise.
  misfits.throwIfAny()

  const gathered = gatherTargets(config, base, systems, platform)
  const { targets, asked, soldFrom, stockOf, mirrored } = gathered
  const names = targets.map(({ name }) => name)
  const orders = createOrderReader(store, platform, {
    clock,
    trusts: trustWebhooks,
    mappings,
    kindAt: (url) => (publicUrl === undefined ? null : (readCallback(url, publicUrl)?.kind ?? null)),
    knownSubscriptions: () => knownSubscriptions(store, webhooks.ids),
    storeName: (storeId) => storeIndex().nameOfStore(storeId),
  })
  const worker = createWorker({
    ...{ store, destinations: targets, orders, flows, mappings, clock, random, logger },
    eventLoop: base.eventLoop,
    settlements: createSettlementReader(platform),
    storeOf: (ref) => knownPlace(storeIndex(), ref),
    waits: base.guard.waits,
  })
  opened.defer(() => worker.stop(0))
  const { reached } = worker
  const scheduler = createScheduler({ store, reached, held: base.guard.holdsJobs, clock, logger })
  for (const told of [scheduler.clockWasSet, worker.clockWasSet]) opened.use(base.clockWatch.whenSet(told))
  const outage = opened.use(openOutage(base, scheduler))

  const routables: Routable[] = targets.map((one) => ({ ...one, abilities: abilitiesOf(one.ports) }))
  misfits.add(routeMisfits(flows, routables))
  const carriesOut = (name: string, flow: Flow) => routables.some((one) => one.name === name && canCarryOut(one, flow))
  const carryingOut = (which: (flow: Flow) => boolean) => {
    const those = flows.filter(which)
    return routables.filter((one) => those.some((flow) => canCarryOut(one, flow))).map(({ name }) => name)
  }
  const unverified = orders.witness === 'nobody' ? carryingOut(({ claims }) => claims !== undefined) : []
  const route = createRoute(flows, routables, storeIndex)
  const read = createReading({ route, proofs: createProofs(flows), limits: server.limits, mappings })
  const reader = base.ownFlows
    ? createReader(read)
    : opened.use(
        createReaderAside({ read, routables, limits: server.limits, mappings, stores: () => storeIndex().stores }),
      )
  const toldApart = createToldApart({ store, flows, mappings })
  const hasDropped = async () => retention.enabled && (await rememberedOf(store)).keysBound > 0
  const memory = createMemory(retention.keys, store.now, hasDropped)
  const inbox = createInbox({ accept: outage.accept, event: store.event }, reader, toldApart, memory)
  gathered.announceTo(inbox)
  /** Plans recorded events again; steps that it enqueues are disambiguated. */
  const planning = {
    store: {
      ...store,
      owe: async (...[event, deliveries, act]: Parameters<Store['owe']>) =>
        await store.owe(event, await toldApart(deliveries), act),
    },
    route,
    mappings,
  }
  const lookups = (['customers', 'orders'] as const).flatMap(
    (about) => misfits.tried(['lookups', about], () => lookupOf(about)) ?? [],
  )
  const correct = createCorrections({ store, inbox, stockOf })
  const wholeQuantities = platform?.stock.countsWhole() ?? false
  const taking = createTaking({
    ...{ systems: systems.handing, inbox, store, storeIndex, saleStores, stockWriters, wholeQuantities },
    ...{ clock, logger },
  })
  const archive = opened.use(setupArchive(config, store))
  const alarms = openAlarms(config, base, { systems, outage, opened, misfits })
  const bodies = opened.use(createWholeBodies({ budget: budgets.known, limits: server.limits, refused }))
  const looking: HealthSources = {
    ...{ store, destinations: names, jobs: scheduler, alarms, flows, doubts, clock },
    working: worker.status,
    storeNow: outage.look,
    disk: base.disk,
    clockJump: base.clockWatch.jump,
    log: base.logTrouble,
    eventLoop: base.eventLoop.delay,
    subscriptions: () => keptSubscriptionFaults(store),
    aside: asides.all,
    requests: () => ({
      connections: base.traffic.connections(),
      inHand: budgets.known.inHand() + budgets.unverified.inHand(),
      refused: refusals.counts(),
      refusedAt: refusals.places(),
    }),
    schemaChanges: async () => {
      const known = await acknowledgedKinds(store)
      return (await schemaChanges(store, flows)).filter(({ kind, at }) => at > (known.get(kind)?.at ?? 0))
    },
    silences: () => keptSilences(store),
    thresholds: config.clocks,
  }
  const free = async () => (await base.disk())?.free ?? null
  misfits.tried(['jobs'], () => scheduler.add(composeJobs()))
  misfits.throwIfAny()
  const listener = composeRoutes()

  const stopping = new AbortController()
  const { signal } = stopping
  let resuming: Promise<void> = Promise.resolve()
  const open = opened.move()

  return {
    ...{ config, listener, names, worker, systems, platform, unverified },
    actingOn: (kind) => carryingOut(({ kinds }) => kinds !== 'all' && kinds.includes(kind)),

    async start(before) {
      // After a reload deliveries do not wait for the jobs.
      if (before !== null) worker.start(before)
      alarms.watch.start()
      await scheduler.start()
      if (before === null) worker.start()
      void nameOrphans(store, names, logger)
      resuming = readLater().catch((err: unknown) => logger.warn({ err }, 'deliveries.not-resumed'))
      if (unverified.length > 0)
        logger.warn({ destinations: unverified, todo: VERIFIED_BY }, 'hub.orders-not-borne-out')
      // Warms up the first customer lookup.
      if (config.lookups.customers) void store.customerCount().catch(() => {})
    },

    async stopJobs(patience) {
      stopping.abort()
      await Promise.all([scheduler.stop(patience), resuming, alarms.watch[Symbol.asyncDispose]()])
    },

    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }

  /** Quarantined events may be readable with this config or version. */
  async function readLater(): Promise<void> {
    await resumeUnread({ ...planning, logger, signal })
    const { events } = await reparse({ store, inbox, signal }, {}, { by: 'hub', dryRun: false, act: null })
    if (events > 0) logger.info({ events }, 'events.readable-now')
  }

  /** Throws a MisfitError. */
  function lookupOf(about: 'customers' | 'orders'): Router {
    return createLookups({
      config: { [about]: config.lookups[about] },
      sources: {
        customers: asked.flatMap(({ name, ports, handsOver }) => customersOf(name, ports, handsOver)),
        orders: asked.flatMap(({ name, ports }) => ordersOf(name, ports, store.links)),
      },
      noteLookup: (lookup) => store.noteLookup(lookup),
      ...{ tillPriority: base.tillPriority, refused, clock, logger },
    })
  }

  function composeJobs(): Job[] {
    return createJobs({
      ...{ platform, store, inbox, publicUrl, mappings, reached, mirrored, soldFrom, storeIndex, clock, logger },
      searchIndex: base.searchIndex,
      kinds: webhooks.kinds,
      ids: webhooks.ids,
      subscribedStores: webhooks.stores,
      token: webhooks.tokens[0] ?? '',
      keyed: webhooks.eventIdHeader !== undefined,
      rate: config.platform.rate,
      schedules: config.jobs,
      intake: { systems: systems.handing, take: taking.take },
      onStores: stores.learn,
      start: (job) => {
        scheduler.run(job).catch((err: unknown) => logger.warn({ err, job }, 'job.not-begun'))
      },
      wanted: createWanted(flows, routables),
      reconcile: { correct, stockOf, cap: config.reconcile.cap, shops: askedShops(systems.targets, reached) },
      masterData: {
        retail: config.platform.retailLists,
        settles: config.readBack.after,
        readsBack: !config.platform.dryRun,
      },
      listsDeliveries: platform?.operations.isShown('deliveries.list') ?? false,
      pulls: config.pulls,
      saleColumns: config.pulls.saleColumns,
      tills: config.completeness.tills,
      asked: { destinations: systems.targets.map(askedDestination), rules: config.completeness.destinations, flows },
      opening: config.silence,
      retention: { ages: retention.enabled ? retention : null, archive, room: free },
      alarms: { ...alarms.forJob, look: async () => (await lookAround(looking)).items },
    })
  }

  /** In matching order. */
  function composeRoutes(): RequestListener {
    const { maxBody, limits } = server
    const app = express()
    app.disable('x-powered-by').disable('etag').set('query parser', 'simple').set('trust proxy', server.trustProxy)
    answerSafely(app)
    app.use(
      createWebhooks({
        ...{ inbox, tokens: webhooks.tokens, keepHeaders: webhooks.keepHeaders, maxBody, refused, clock, logger },
        tillPriority: base.tillPriority,
        eventIdHeader: webhooks.eventIdHeader ?? null,
        decoded: limits.decoded ?? maxBody,
        budget: budgets.known,
      }),
    )
    const check = createApiKeyCheck({ store, refused, clock, logger })
    app.use(
      createSubmissions({
        ...{ bodies, check, inbox, store, storeIndex, platform, saleStores, stockWriters, wholeQuantities },
        shops: routables.filter(({ abilities }) => abilities.includes('orders.create')).map(({ name }) => name),
        wantsSubgroup: wantsSubgroup(config.platform.preset),
        silence: server.timeouts.silence,
        budget: budgets.known,
        ...{ refused, clock, logger },
      }),
    )
    const keepsCustomers = config.lookups.customers !== undefined
    app.use(createMirrorReads({ check, store, storeIndex, mirrored, keepsCustomers, logger }))
    const completeness = createCompletenessContext(config, store, platform)
    app.use(createCompletenessRead({ check, store, storeIndex, completeness, clock }))
    const budget = budgets.unverified
    app.use(createIntake({ systems: systems.handing, taking, maxBody, limits, budget, refused, logger }))
    for (const lookup of lookups) app.use(lookup)
    app.use(createHealth(outage.look))
    app.use(createMetrics({ check, look: lookForMetrics }))
    app.use(
      createAdmin({
        ...looking,
        ...{ config, platform, planning, inbox, correct, carriesOut, reload, mirrored, completeness, alarms, refused },
        jobs: scheduler,
        systems: systems.examined,
        probe: worker.probe,
        holdsDeliveries: base.guard.holdsDeliveries,
        callbackAt: readCallback,
        searchIndex: base.searchIndex,
        outside: { archive, folders: systems.searched },
        remembered: () => rememberedOf(store),
        schemas: () => keptSchemas(store),
        acknowledgedKinds: () => acknowledgedKinds(store),
        logger,
      }),
    )
    app.use(otherMethod, nothingHere, problemHandler(logger, clock))
    return app
  }

  async function lookForMetrics(): Promise<Metric[]> {
    const [{ items, alarms: standing, untold, status }, jobs] = await Promise.all([
      lookAround(looking),
      scheduler.status(),
    ])
    const { connections, refused } = looking.requests()
    return metricsOf({
      ...{ version: OWN_VERSION, rules: alarms.rules, untold, items, jobs, refused, connections },
      standing: standing?.map(({ rule }) => rule) ?? null,
      own: { rule: STORE_RULE.name, stands: alarms.watch.standing().length > 0 },
      lanes: status?.destinations ?? null,
      events: status?.events ?? null,
      eventLoop: looking.eventLoop(),
    })
  }
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

export const VERIFIED_BY =
  'set platform.baseUrl and its keys, or platform.trustWebhooks: true if nobody else can know the webhook token.'

/** Null: none configured. */
function setupArchive({ retention }: Pick<Config, 'retention'>, store: Pick<Store, 'jobs'>): Archive | null {
  if (!retention.archive) return null
  return openArchive(retention.archive, async (where) => (await rememberedOf(store)).archive === where)
}

async function rememberedOf(store: Pick<Store, 'jobs'>): Promise<RetentionState> {
  return readRetentionState(await keptState(store, 'retention'))
}
