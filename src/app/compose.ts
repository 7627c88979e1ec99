import { hostname } from 'node:os'
import express, { type Express, type Router } from 'express'
import { createAdmin } from '../admin/admin.ts'
import type { AdminContext, Reload } from '../admin/context.ts'
import { type HealthSources, readHealth } from '../admin/health.ts'
import { type Archive, openArchive } from '../archive/archive.ts'
import type { Config } from '../config/config.ts'
import { maskedConfig } from '../config/schema.ts'
import { createConsole } from '../console/console.ts'
import { createOidc } from '../console/sign-in.ts'
import { ALARM_RULES, type AlarmRule, STORE_RULE } from '../domain/alarms/rules.ts'
import type { ConfigWarning } from '../domain/health/health.ts'
import { type Metric, metricsOf } from '../domain/health/hub-metrics.ts'
import { type Flow, hasGuard } from '../flows/flow.ts'
import { createApiKeyCheck } from '../http/api-key.ts'
import { customersOf, ordersOf } from '../http/lookups/ask.ts'
import { createLookups } from '../http/lookups/lookups.ts'
import { createHealth, createMetrics } from '../http/metrics.ts'
import { createIntake, createTaking } from '../http/order-feeds/order-feeds.ts'
import { nothingHere, problemHandler } from '../http/problem.ts'
import { createCompletenessRead } from '../http/read-models/completeness.ts'
import { createMirrorReads } from '../http/read-models/read-models.ts'
import { createAllowList } from '../http/refusals.ts'
import { answerSafely, otherMethod } from '../http/server.ts'
import { createWholeBodies } from '../http/submissions/body/whole-body.ts'
import { createSubmissions } from '../http/submissions/submissions.ts'
import { createWebhooks } from '../http/webhooks.ts'
import { createInbox, createMemory } from '../ingest/accept.ts'
import { createCorrections } from '../ingest/corrections.ts'
import { createProofs, createReader, createReading, createThreadReader } from '../ingest/parse.ts'
import { reparse, resumeUnread } from '../ingest/reroute.ts'
import { canExecute, createRoute, createWanted, type Routable, routeConfigIssues } from '../ingest/route.ts'
import { createNotifier, createStoreWatch, type Recipient, readAlarmState } from '../jobs/alarms.ts'
import { createJobs } from '../jobs/all.ts'
import { readBacklog } from '../jobs/backlog.ts'
import { type Job, readJobState } from '../jobs/engine/job.ts'
import { createScheduler } from '../jobs/engine/scheduler.ts'
import { readArrivals, readInactivities } from '../jobs/inactivity.ts'
import { leaveConfigIssues } from '../jobs/reconciliation/reconcile-destinations.ts'
import { type RetentionState, readRetentionState } from '../jobs/retention/ageing.ts'
import { knownSubscriptions, readCallback } from '../jobs/subscriptions/decide.ts'
import { acknowledgedKinds, readSchemas, schemaChanges } from '../jobs/subscriptions/schemas.ts'
import { readSubscriptionFaults } from '../jobs/subscriptions/subscriptions.ts'
import { createHttpClient } from '../lib/http/http.ts'
import type { Logger } from '../lib/logger.ts'
import { OWN_VERSION } from '../lib/own-version.ts'
import type { Tracing } from '../lib/tracing.ts'
import { wantsSubgroup } from '../platform/http/endpoints.ts'
import { abilitiesOf } from '../ports/perform.ts'
import { createOrderReader, createSettlementReader } from '../queue/order-reader.ts'
import { createWorker, type Worker } from '../queue/worker.ts'
import { requirePlace } from '../storage/open.ts'
import type { Storage } from '../storage/storage.ts'
import { createCompletenessContext } from './completeness.ts'
import {
  consoleUrlOf,
  oidcConfigIssues,
  recipientConfigIssues,
  saleStoreConfigIssues,
  writerConfigIssues,
} from './config-checks.ts'
import { type Infrastructure, openOutage } from './infrastructure.ts'
import {
  askedShops,
  collectTargets,
  createConfigIssueList,
  openPlatform,
  openSystems,
  reconcilableDestination,
} from './systems.ts'
import type { Listeners } from './traffic-switch.ts'

/** Disposing it closes what it opened. */
export type Setup = Awaited<ReturnType<typeof createSetup>>

/** Composes a hub from config; opens no socket, writes nothing. Throws a ConfigIssueError listing every config issue. */
export async function createSetup(
  config: Config,
  folder: string,
  base: Infrastructure,
  { reload, warnings }: { reload: Reload; warnings: () => readonly ConfigWarning[] },
) {
  await using opened = new AsyncDisposableStack()
  const configIssues = createConfigIssueList()
  const { storage, stores, flows, clock, random, logger } = base
  const { budgets, refusals, timings } = base.traffic
  const { server, retention } = config
  const { payloads: mappings, saleStores, stockWriters, trustWebhooks, webhooks } = config.platform
  const { publicUrl } = server
  const refused = refusals.note
  const storeIndex = stores.index

  configIssues.tried(['store', 'url'], () => requirePlace(config.store.url))
  const systems = await openSystems(config, folder, { opened, configIssues })
  const { platform, rejectedRows } = openPlatform(config.platform, base, { opened, configIssues })
  configIssues.add(writerConfigIssues(stockWriters, systems.targets))
  const systemNames = systems.targets.map(({ name }) => name)
  configIssues.add(leaveConfigIssues(config.completeness.destinations.leave, systemNames))
  configIssues.add(saleStoreConfigIssues(saleStores, storeIndex().stores))
  configIssues.add(oidcConfigIssues(config))
  // Checks that need a system which could not be made would be noise.
  configIssues.throwIfAny()

  const gathered = collectTargets(config, base, systems, platform)
  const { targets, asked, soldFrom, stockOf, mirrored } = gathered
  const names = targets.map(({ name }) => name)
  const orders = createOrderReader(storage, platform, {
    clock,
    trusts: trustWebhooks,
    mappings,
    kindAt: (url) => (publicUrl === undefined ? null : (readCallback(url, publicUrl)?.kind ?? null)),
    knownSubscriptions: () => knownSubscriptions(storage, webhooks.ids),
    storeName: (storeId) => storeIndex().nameOfStore(storeId),
  })
  const tracing = await openTracing()
  const worker = createWorker({
    ...{ storage, destinations: targets, orders, flows, mappings, clock, random, logger },
    eventLoop: base.eventLoop,
    settlements: createSettlementReader(platform),
    storeOf: stores.resolve,
    waits: base.guard.waits,
    attempted: timings.attempted,
    tracing,
  })
  opened.defer(() => worker.stop(0))
  const { reached } = worker
  const scheduler = createScheduler({ storage, reached, held: base.guard.holdsJobs, clock, logger })
  for (const onSet of [scheduler.clockWasSet, worker.clockWasSet]) opened.use(base.clockWatch.onJump(onSet))
  const outage = opened.use(openOutage(base, scheduler))

  const routables: Routable[] = targets.map((one) => ({ ...one, abilities: abilitiesOf(one.ports) }))
  configIssues.add(routeConfigIssues(flows, routables))
  const carriesOut = (name: string, flow: Flow) => routables.some((one) => one.name === name && canExecute(one, flow))
  const carryingOut = (which: (flow: Flow) => boolean) => {
    const those = flows.filter(which)
    return routables.filter((one) => those.some((flow) => canExecute(one, flow))).map(({ name }) => name)
  }
  const unverified = orders.verifier === 'none' ? carryingOut((flow) => hasGuard(flow, 'verifyWithPlatform')) : []
  const route = createRoute(flows, routables, storeIndex)
  const read = createReading({ route, proofs: createProofs(flows), limits: server.limits, mappings })
  const reader = base.ownFlows
    ? createReader(read)
    : opened.use(
        createThreadReader({ read, routables, limits: server.limits, mappings, stores: () => storeIndex().stores }),
      )
  const hasDropped = async () => retention.enabled && (await rememberedOf(storage)).keysBound > 0
  const memory = createMemory(retention.keys, storage.now, hasDropped)
  const inbox = createInbox({ accept: outage.accept, event: storage.event }, reader, memory)
  gathered.announceTo(inbox)
  const lookups = (['customers', 'orders'] as const).flatMap(
    (about) => configIssues.tried(['lookups', about], () => lookupOf(about)) ?? [],
  )
  const correct = createCorrections({ storage, inbox, stockOf })
  const wholeQuantities = platform?.stock.countsWhole() ?? false
  const taking = createTaking({
    ...{ systems: systems.orderFeeds, inbox, storage, storeIndex, saleStores, stockWriters, wholeQuantities },
    ...{ clock, logger },
  })
  const archive = opened.use(setupArchive(config, storage))
  configIssues.add(recipientConfigIssues(config.alarms, systems))
  const alarms = composeAlarms()
  const oidc = composeOidc()
  const bodies = opened.use(createWholeBodies({ budget: budgets.known, limits: server.limits, refused }))
  const looking: HealthSources = {
    ...{ storage, destinations: names, jobs: scheduler, alarms, flows, warnings, clock },
    working: worker.status,
    storeNow: outage.look,
    disk: base.disk,
    clockJump: base.clockWatch.jump,
    log: base.logFailure,
    eventLoop: base.eventLoop.delay,
    subscriptions: () => readSubscriptionFaults(storage),
    rejected: rejectedRows.all,
    requests: () => ({
      connections: base.traffic.connections(),
      inFlightBytes: budgets.known.inFlightBytes() + budgets.unverified.inFlightBytes(),
      refused: refusals.counts(),
      refusedAt: refusals.places(),
    }),
    schemaChanges: async () => {
      const known = await acknowledgedKinds(storage)
      return (await schemaChanges(storage, flows)).filter(({ kind, at }) => at > (known.get(kind)?.at ?? 0))
    },
    inactivities: () => readInactivities(storage),
    thresholds: config.clocks,
  }
  const free = async () => (await base.disk())?.free ?? null
  configIssues.tried(['jobs'], () => scheduler.add(composeJobs()))
  configIssues.throwIfAny()
  const stopping = new AbortController()
  const { signal } = stopping
  const listeners = composeRoutes()

  let resuming: Promise<void> = Promise.resolve()
  const open = opened.move()

  return {
    ...{ config, listeners, names, worker, systems, platform, targets, route },
    /** Destinations whose steps about orders and refunds are held: nothing verifies what webhooks say of them. */
    unverified,
    /** Destinations with a flow that acts on events of this kind, except `publish`. */
    actingOn: (kind: string) => carryingOut(({ kinds }) => kinds !== 'all' && kinds.includes(kind)),

    /** Starts work. `before`: a stopped worker that may have calls under way. Resolves when jobs are scheduled. */
    async start(before: Worker | null): Promise<void> {
      // After a reload deliveries do not wait for the jobs.
      if (before !== null) worker.start(before)
      alarms.watch.start()
      await scheduler.start()
      if (before === null) worker.start()
      void nameOrphans(storage, names, logger)
      resuming = readLater().catch((err: unknown) => logger.warn({ err }, 'deliveries.not-resumed'))
      if (unverified.length > 0) logger.warn({ destinations: unverified, todo: VERIFIED_BY }, 'hub.orders-not-verified')
      // Warms up the first customer lookup.
      if (config.lookups.customers) void storage.customerCount().catch(() => {})
    },

    /** Stops scheduling; running jobs get `patience` ms. */
    async stopJobs(patience: number): Promise<void> {
      stopping.abort()
      await Promise.all([scheduler.stop(patience), resuming, alarms.watch[Symbol.asyncDispose]()])
    },

    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }

  /** Quarantined events may be readable with this config or version. */
  async function readLater(): Promise<void> {
    await resumeUnread({ storage, route, mappings, logger, signal })
    const { events } = await reparse({ storage, inbox, signal }, {}, { by: 'hub', dryRun: false, act: null })
    if (events > 0) logger.info({ events }, 'events.readable-now')
  }

  /** Throws a ConfigIssueError. */
  function lookupOf(about: 'customers' | 'orders'): Router {
    return createLookups({
      config: { [about]: config.lookups[about] },
      sources: {
        customers: asked.flatMap(({ name, ports, handsOver }) => customersOf(name, ports, handsOver)),
        orders: asked.flatMap(({ name, ports }) => ordersOf(name, ports, storage.links)),
      },
      noteLookup: (lookup) => storage.noteLookup(lookup),
      ...{ posPriority: base.posPriority, refused, clock, logger },
    })
  }

  function composeJobs(): Job[] {
    return createJobs({
      ...{ platform, storage, inbox, publicUrl, mappings, reached, mirrored, soldFrom, storeIndex, clock, logger },
      searchIndex: base.searchIndex,
      kinds: webhooks.kinds,
      ids: webhooks.ids,
      subscribedStores: webhooks.stores,
      token: webhooks.tokens[0] ?? '',
      keyed: webhooks.eventIdHeader !== undefined,
      rate: config.platform.rate,
      schedules: config.jobs,
      intake: { systems: systems.orderFeeds, take: taking.take },
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
      listsDeliveries: platform?.operations.isShown('goodsDeliveries.list') ?? false,
      pulls: config.pulls,
      saleColumns: config.pulls.saleColumns,
      pos: config.completeness.pos,
      asked: {
        destinations: systems.targets.map(reconcilableDestination),
        rules: config.completeness.destinations,
        flows,
      },
      probe: worker.probe,
      opening: config.inactivity,
      retention: { ages: retention.enabled ? retention : null, archive, room: free },
      alarms: { ...alarms.notifying, rules: alarms.rules, clock, look: async () => (await readHealth(looking)).items },
    })
  }

  /** In matching order. */
  function composeRoutes(): Listeners {
    const { maxBody, limits } = server
    const app = createApp()
    const receiver = createWebhooks({
      ...{ inbox, tokens: webhooks.tokens, keepHeaders: webhooks.keepHeaders, maxBody, refused, clock, logger },
      posPriority: base.posPriority,
      accepted: timings.accepted,
      tracing,
      eventIdHeader: webhooks.eventIdHeader ?? null,
      signature: webhooks.signature,
      isLimited: server.allow.webhooks !== undefined,
      decoded: limits.decoded ?? maxBody,
      budget: budgets.known,
    })
    app.use(receiver.router)
    const check = createApiKeyCheck({ storage, refused, clock, logger })
    app.use(
      createSubmissions({
        ...{ bodies, check, inbox, storage, storeIndex, platform, saleStores, stockWriters, wholeQuantities },
        shops: routables.filter(({ abilities }) => abilities.includes('orders.create')).map(({ name }) => name),
        wantsSubgroup: wantsSubgroup(config.platform.preset),
        idle: server.timeouts.idle,
        budget: budgets.known,
        ...{ refused, clock, logger },
      }),
    )
    const keepsCustomers = config.lookups.customers !== undefined
    app.use(createMirrorReads({ check, storage, storeIndex, mirrored, keepsCustomers, logger }))
    const completeness = createCompletenessContext(config, storage, platform)
    app.use(createCompletenessRead({ check, storage, storeIndex, completeness, clock }))
    const budget = budgets.unverified
    app.use(createIntake({ systems: systems.orderFeeds, taking, maxBody, limits, budget, refused, logger }))
    for (const lookup of lookups) app.use(lookup)
    app.use(createHealth(outage.look))
    app.use(createMetrics(check, readForMetrics, measure))
    const administered: AdminContext = {
      ...looking,
      ...{ config, platform, route, mappings, inbox, correct, carriesOut },
      ...{ reload, mirrored, completeness, alarms, refused },
      jobs: scheduler,
      systems: systems.checked,
      arrivals: () => readArrivals(storage, clock.now()),
      attempts: () => timings.read().destinations,
      backlog: () => readBacklog(storage, clock.now()),
      shownConfig: () => maskedConfig(config, (adapter) => systems.options.get(adapter)),
      probe: worker.probe,
      holdsDeliveries: base.guard.holdsDeliveries,
      callbackAt: readCallback,
      searchIndex: base.searchIndex,
      outside: { archive, folders: systems.searched },
      remembered: () => rememberedOf(storage),
      schemas: () => readSchemas(storage),
      acknowledgedKinds: () => acknowledgedKinds(storage),
      logger,
    }
    const operators = server.admin ? createApp() : app
    operators.use(createAdmin(administered))
    const shown = { times: config.console, publicUrl: config.console.publicUrl ?? publicUrl }
    if (config.console.enabled)
      operators.use('/console', createConsole({ ...administered, ...shown, oidc, stopping: signal }))
    if (operators !== app) operators.use(createHealth(outage.look))
    for (const one of new Set([app, operators])) one.use(otherMethod, nothingHere, problemHandler(logger, clock))
    return { open: receiver.before(app), admin: operators }
  }

  function createApp(): Express {
    const app = express()
    app.disable('x-powered-by').disable('etag').set('query parser', 'simple').set('trust proxy', server.trustProxy)
    answerSafely(app)
    for (const [name, ranges] of Object.entries(server.allow)) app.use(`/${name}`, createAllowList(ranges, refused))
    return app
  }

  /** Its libraries are loaded only where it is on. */
  async function openTracing(): Promise<Tracing | null> {
    const { tracing } = config
    if (tracing === undefined) return null
    const { openOtlp } = await import('../lib/otlp.ts')
    const { allowPrivate } = tracing
    const http = opened.use(createHttpClient({ connections: 2, timeout: 2_000, allowPrivate }))
    return opened.use(openOtlp(tracing, http, logger))
  }

  function composeOidc() {
    const { enabled, oidc } = config.console
    const consoleUrl = consoleUrlOf(config)
    if (!enabled || oidc === undefined || consoleUrl === undefined) return null
    const named = new URL(oidc.issuer).hostname
    const { allowPrivate } = oidc
    const http = opened.use(createHttpClient({ connections: 4, timeout: 10_000, allowPrivate, named }))
    return createOidc(oidc, consoleUrl, http)
  }

  function composeAlarms() {
    const { to, severity } = config.alarms
    const recipients = systems.notifiable.flatMap(({ name, notify }): Recipient[] => {
      const named = to[name]
      return named && notify ? [{ name, least: named.least, addresses: named.recipients, notify }] : []
    })
    const rules = ALARM_RULES.map((rule): AlarmRule => ({ ...rule, severity: severity[rule.name] ?? rule.severity }))
    const hub = publicUrl === undefined ? hostname() : new URL(publicUrl).host
    const teller = createNotifier({ hub, clock: base.ownClock })
    // State in memory is per setup.
    const notifying = { recipients, teller, by: crypto.randomUUID(), logger }
    const rule = rules.find(({ name }) => name === STORE_RULE.name) ?? STORE_RULE
    const watch = opened.use(createStoreWatch({ ...notifying, storeNow: outage.look, rule, clock: base.ownClock }))
    const ending = new AbortController()
    opened.defer(() => ending.abort(new Error('The hub is stopping.')))

    return {
      ...{ notifying, watch, rules },
      recipients: recipients.map(({ name, least, addresses }) => ({ name, least, addresses: addresses.length })),

      async kept() {
        const { watched, unsent } = await readAlarmState(storage)
        return { active: [...watch.active(), ...watched.filter(({ raisedAt }) => raisedAt !== null)], unsent }
      },

      test: () =>
        Promise.all(recipients.map(async (one) => ({ to: one.name, why: await teller.test(one, ending.signal) }))),
    }
  }

  async function readForMetrics() {
    const readAt = clock.now()
    const [{ items, alarms: active, unsent, status }, jobs] = await Promise.all([
      readHealth(looking),
      scheduler.status(),
    ])
    return {
      ...{ readAt, unsent, items, jobs },
      active: active?.map(({ rule }) => rule) ?? null,
      queues: status?.destinations ?? null,
      events: status?.events ?? null,
    }
  }

  function measure(read: Awaited<ReturnType<typeof readForMetrics>>): Metric[] {
    const { connections, refused } = looking.requests()
    return metricsOf({
      ...{ ...read, version: OWN_VERSION, rules: alarms.rules, refused, connections },
      own: { rule: STORE_RULE.name, stands: alarms.watch.active().length > 0 },
      eventLoop: looking.eventLoop(),
      timings: timings.read(),
    })
  }
}

/** Logs deliveries pending for destinations that config no longer has; they stay until moved. */
async function nameOrphans(storage: Pick<Storage, 'pending'>, names: readonly string[], logger: Logger): Promise<void> {
  try {
    for (const { destination, open } of await storage.pending())
      if (!names.includes(destination)) logger.error({ destination, deliveries: open }, 'destination.not-in-config')
  } catch (error) {
    logger.warn({ err: error }, 'destination.not-counted')
  }
}

export const VERIFIED_BY =
  'set platform.baseUrl and its keys, or platform.trustWebhooks: true if nobody else can know the webhook token.'

/** Null: none configured. */
function setupArchive({ retention }: Pick<Config, 'retention'>, storage: Pick<Storage, 'jobs'>): Archive | null {
  if (!retention.archive) return null
  return openArchive(retention.archive, async (where) => (await rememberedOf(storage)).archive === where)
}

async function rememberedOf(storage: Pick<Storage, 'jobs'>): Promise<RetentionState> {
  return readRetentionState(await readJobState(storage, 'retention'))
}
