import type { RequestListener } from 'node:http'
import type { Reload } from '../admin/reload.ts'
import type { Config } from '../config/config.ts'
import { nameNotBorneOut } from '../delivery/evidence/not-borne-out.ts'
import { createOrderReader } from '../delivery/evidence/order-reader.ts'
import { createSettlementReader } from '../delivery/evidence/settlement-reader.ts'
import { nameOrphans } from '../delivery/orphans.ts'
import { createWorker, type Worker } from '../delivery/worker.ts'
import type { Doubt } from '../domain/health/health.ts'
import { knownPlace } from '../domain/places/known-place.ts'
import { createCorrections } from '../inbox/corrections.ts'
import { reparse } from '../inbox/reparse.ts'
import { resumeUnread } from '../inbox/resume-unread.ts'
import type { Route } from '../inbox/route.ts'
import { writerMisfits } from '../inbox/writers.ts'
import { createScheduler } from '../jobs/engine/scheduler.ts'
import { leaveMisfits } from '../jobs/ledger/destinations/compare-destinations.ts'
import { readCallback } from '../jobs/subscriptions/decide.ts'
import { knownSubscriptions } from '../jobs/subscriptions/known.ts'
import type { Platform } from '../platform/platform.ts'
import { createTaking } from '../receiver/intake/taking.ts'
import { createWholeBodies } from '../receiver/submissions/body/whole-body.ts'
import { saleStoreMisfits } from '../receiver/submissions/sale-stores.ts'
import { requirePlace } from '../store/open.ts'
import { openAlarms } from './alarms.ts'
import type { Base } from './base.ts'
import { createFaces } from './faces.ts'
import { openOutage } from './guards/outage.ts'
import { openInbox } from './inbox.ts'
import { setupJobs } from './jobs.ts'
import { createLooking } from './looking.ts'
import { setupLookup } from './lookups.ts'
import { createMisfitList } from './misfit-list.ts'
import { openPlatform } from './platform.ts'
import { setupArchive } from './retention.ts'
import { openSystems, type Systems, type Target } from './systems.ts'
import { gatherTargets } from './targets.ts'

/** Everything that one config makes: who is asked, what answers, what works. Disposing it closes what it opened. */
export interface Setup extends AsyncDisposable {
  config: Config
  listener: RequestListener
  /** The names of its destinations, those of the hub itself too. */
  names: string[]
  worker: Worker
  systems: Systems
  /** Null: config says nothing of how to ask it. */
  platform: Platform | null
  /** Who gets what: its destinations, those of the hub itself too, and the deliveries that an event owes them. */
  targets: readonly Target[]
  route: Route
  /** Begins to work. `before`: a worker that has stopped and may have calls under way. Resolves when jobs are planned. */
  start(before: Worker | null): Promise<void>
  /** Plans and begins no more scheduled work; what is under way gets so long to end (milliseconds). */
  stopJobs(patience: number): Promise<void>
}

/** Everything that the hub knows and can beyond one setup. */
interface Shared {
  reload: Reload
  /** Values that are most likely wrong in the config that counts. */
  doubts: () => readonly Doubt[]
}

/**
 * Puts a hub together as config says, and begins nothing: no socket is opened, nothing is written. Throws a MisfitError that
 * names everything that does not fit.
 */
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
  // A system that cannot be made is not there to be asked: to say so as well would be noise.
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
  // It gets its jobs below: some take what the inbox takes, which counts on a job when the store can write again.
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
  const looking = createLooking(config, base, { names, asides, worker, outage, alarms, scheduler, doubts })
  const shared = { platform, systems, routables, inbox, taking, correct, mirrored, looking, alarms, archive }
  const start = (job: string) => {
    scheduler.run(job).catch((err: unknown) => logger.warn({ err, job }, 'job.not-begun'))
  }
  const ofJobs = { ...shared, reached, start, stockOf, soldFrom }
  misfits.tried(['jobs'], () => scheduler.add(setupJobs(config, base, ofJobs)))
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
  })
  const stopping = new AbortController()
  const { signal } = stopping
  /** What could not be read before may be readable with this config, or this version. */
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
      // Where another worked until now, nobody is to wait for the jobs.
      if (before !== null) worker.start(before)
      alarms.watch.start()
      await scheduler.start()
      if (before === null) worker.start()
      void nameOrphans(store, names, logger)
      resuming = readLater().catch((err: unknown) => logger.warn({ err }, 'deliveries.not-resumed'))
      nameNotBorneOut(orders.witness, flows, routables, logger)
      // The till's first question should not wait for what answers it to be ready.
      if (config.lookups.customers) void store.customerCount().catch(() => {})
    },

    async stopJobs(patience) {
      stopping.abort()
      await Promise.all([scheduler.stop(patience), resuming, alarms.watch[Symbol.asyncDispose]()])
    },

    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
