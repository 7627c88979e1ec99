import express, { type Express, type Router } from 'express'
import { createAdmin } from '../admin/admin.ts'
import type { Reload, Retaining } from '../admin/context.ts'
import { type HealthSources, lookAround } from '../admin/health.ts'
import type { Archive } from '../archive/archive.ts'
import { type Config, DEFAULT_ADMIN } from '../config/config.ts'
import type { Worker } from '../delivery/worker.ts'
import { STORE_RULE } from '../domain/alarms/rules.ts'
import type { Metric } from '../domain/metrics/hub-metrics.ts'
import { metricsOf } from '../domain/metrics/hub-metrics.ts'
import { UserError } from '../domain/values/errors.ts'
import { forgetPerson } from '../flows/customers.ts'
import type { Flow } from '../flows/flow.ts'
import type { Inbox } from '../inbox/accept.ts'
import { bookAgain, resendOf } from '../inbox/book-again.ts'
import type { Correct } from '../inbox/corrections.ts'
import { acceptAsOwn, reparse, reroute, resumeUnread } from '../inbox/reroute.ts'
import { canCarryOut, type Routable, type Route } from '../inbox/route.ts'
import { readUnresolved } from '../inbox/unresolved-events.ts'
import type { Scheduler } from '../jobs/engine/scheduler.ts'
import { readCallback, wantedIds } from '../jobs/subscriptions/decide.ts'
import { knownSubscriptions } from '../jobs/subscriptions/known.ts'
import { acknowledgedKinds, keptSchemas } from '../jobs/subscriptions/schemas.ts'
import { keptKinds } from '../jobs/subscriptions/subscriptions.ts'
import type { Logger } from '../lib/logger.ts'
import { OWN_VERSION } from '../lib/own-version.ts'
import { KINDS } from '../payloads/kinds.ts'
import { wantsSubgroup } from '../platform/http/endpoints.ts'
import type { Platform } from '../platform/platform.ts'
import { createApiKeyCheck } from '../receiver/api-key.ts'
import { createCompletenessRead } from '../receiver/completeness/completeness-read.ts'
import { createIntake } from '../receiver/intake/intake.ts'
import type { Taking } from '../receiver/intake/taking.ts'
import { createHealth, createMetrics } from '../receiver/metrics/metrics.ts'
import { createMirrorReads } from '../receiver/mirror/mirror-reads.ts'
import { nothingHere, problemHandler } from '../receiver/problem.ts'
import { answerSafely, otherMethod } from '../receiver/server.ts'
import type { WholeBodies } from '../receiver/submissions/body/whole-body.ts'
import { createSubmissions } from '../receiver/submissions/submissions.ts'
import { createWebhooks } from '../receiver/webhooks.ts'
import type { CompletenessContext, ReadWantedLogs } from '../store/read-completeness.ts'
import type { Store } from '../store/store.ts'
import type { Alarms } from './alarms.ts'
import type { Base } from './base.ts'
import type { Outage } from './guards/outage.ts'
import type { Systems } from './systems.ts'

interface Parts {
  platform: Platform | null
  looking: HealthSources
  alarms: Alarms
  systems: Systems
  routables: readonly Routable[]
  route: Route
  owe: Store['owe']
  inbox: Inbox
  bodies: WholeBodies
  taking: Taking
  correct: Correct
  lookups: readonly Router[]
  worker: Pick<Worker, 'probe'>
  outage: Outage
  scheduler: Scheduler
  mirrored: 'all' | 'stock' | null
  archive: Archive | null
  retaining: Retaining
  reload: Reload
}

/** All routes of one config, in matching order. */
export function createFaces(
  { server, platform: asked, lookups, destinations }: Config,
  base: Base,
  parts: Parts,
): Express {
  const { store, stores, flows, clock, logger } = base
  const { budgets, refusals } = base.traffic
  const { platform, systems, routables, inbox, taking, worker, outage } = parts
  const { webhooks, payloads: mappings, saleStores, stockWriters, preset } = asked
  const storeIndex = stores.index
  const refused = refusals.note
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple').set('trust proxy', server.trustProxy)
  answerSafely(app)
  app.use(
    createWebhooks({
      inbox,
      tillPriority: base.tillPriority,
      tokens: webhooks.tokens,
      eventIdHeader: webhooks.eventIdHeader ?? null,
      keepHeaders: webhooks.keepHeaders,
      maxBody: server.maxBody,
      decoded: server.limits.decoded ?? server.maxBody,
      budget: budgets.known,
      refused,
      clock,
      logger,
    }),
  )
  const check = createApiKeyCheck({ store, refused, clock, logger })
  app.use(
    createSubmissions({
      bodies: parts.bodies,
      check,
      inbox,
      store,
      storeIndex,
      platform,
      saleStores,
      stockWriters,
      shops: routables.filter(({ abilities }) => abilities.includes('orders.create')).map(({ name }) => name),
      wantsSubgroup: wantsSubgroup(preset),
      wholeQuantities: platform?.stock.countsWhole() ?? false,
      silence: server.timeouts.silence,
      budget: budgets.known,
      refused,
      clock,
      logger,
    }),
  )
  const { mirrored } = parts
  const carriesOut = (name: string, flow: Flow) => routables.some((one) => one.name === name && canCarryOut(one, flow))
  const keepsCustomers = lookups.customers !== undefined
  app.use(createMirrorReads({ check, store, storeIndex, mirrored, keepsCustomers, logger }))
  const completeness = createCompletenessContext({ server, platform: asked }, store, platform)
  app.use(createCompletenessRead({ check, store, storeIndex, completeness, clock }))
  const { maxBody, limits } = server
  app.use(
    createIntake({ systems: systems.handing, taking, maxBody, limits, budget: budgets.unverified, refused, logger }),
  )
  for (const lookup of parts.lookups) app.use(lookup)
  app.use(createHealth(outage.look))
  app.use(createMetrics({ check, look: () => lookForMetrics(parts.looking, parts.alarms) }))
  app.use(
    createAdmin({
      ...parts.looking,
      platform,
      admins: { [DEFAULT_ADMIN]: server.adminToken, ...server.admins },
      systems: systems.examined,
      probe: worker.probe,
      holdsDeliveries: base.guard.holdsDeliveries,
      alarms: parts.alarms,
      jobs: parts.scheduler,
      reload: parts.reload,
      reroute: (filter, how) => reroute({ ...store, owe: parts.owe }, parts.route, filter, how, mappings),
      acceptAsOwn: (id, act) =>
        acceptAsOwn({ store: { ...store, owe: parts.owe }, route: parts.route, mappings }, id, act),
      reparse: async (filter, how) => {
        const result = await reparse({ store, inbox }, filter, how)
        // Held deliveries are resumed with the first part.
        if (how.dryRun || (how.part?.after ?? 0) > 0) return { ...result, held: 0 }
        const resuming = {
          store: { ...store, owe: parts.owe },
          route: parts.route,
          mappings,
          logger,
          signal: new AbortController().signal,
        }
        return { ...result, held: await resumeUnread(resuming) }
      },
      correct: parts.correct,
      completeness,
      callbacks: { publicUrl: server.publicUrl, tokens: webhooks.tokens, callbackAt: readCallback },
      mirrored,
      files: {
        writers: destinations.filter(({ adapter }) => adapter === 'files').map(({ name }) => name),
        bookAgain: (asked, how) => bookAgain({ store, route: parts.route, flows, mappings }, asked, how),
      },
      resendOf: (delivery) => resendOf(delivery, { store, route: parts.route, mappings }),
      search: { index: base.searchIndex, countries: lookups.customers?.countries ?? [] },
      outside: { archive: parts.archive, folders: systems.searched },
      carriesOut,
      telling: { canErase: (name) => carriesOut(name, forgetPerson), accept: inbox.accept },
      retaining: parts.retaining,
      refused,
      mappings,
      schemas: () => keptSchemas(store),
      acknowledgedKinds: () => acknowledgedKinds(store),
      logger,
    }),
  )
  app.use(otherMethod, nothingHere, problemHandler(logger, clock))
  return app
}

async function lookForMetrics(looking: HealthSources, alarms: Pick<Alarms, 'rules' | 'watch'>): Promise<Metric[]> {
  const [{ items, alarms: standing, untold, status }, jobs] = await Promise.all([
    lookAround(looking),
    looking.jobs.status(),
  ])
  const { connections, refused } = looking.requests()
  return metricsOf({
    version: OWN_VERSION,
    rules: alarms.rules,
    standing: standing?.map(({ rule }) => rule) ?? null,
    own: { rule: STORE_RULE.name, stands: alarms.watch.standing().length > 0 },
    untold,
    items,
    lanes: status?.destinations ?? null,
    events: status?.events ?? null,
    jobs,
    refused,
    connections,
    eventLoop: looking.eventLoop(),
  })
}

function createCompletenessContext(
  { server, platform: asked }: Pick<Config, 'server' | 'platform'>,
  store: Pick<Store, 'jobs' | 'stores' | 'events' | 'bodies' | 'formerPlaces'>,
  platform: Pick<Platform, 'operations'> | null,
): CompletenessContext {
  const { kinds } = asked.webhooks
  return {
    wantedLogs: createWantedLogs({ server, platform: asked }, store, platform),
    unresolved: (of) => readUnresolved(store, asked.payloads, of),
    async kinds() {
      if (platform === null) return { offered: [], wanted: [] }
      const specified = KINDS.map(({ name }) => name)
      if (kinds !== 'all') return { offered: [...new Set([...specified, ...(kinds ?? [])])], wanted: kinds ?? [] }
      // Before the first subscriptions check: all kinds of the specification.
      const offered = await keptKinds(store)
      return { offered: offered.length > 0 ? offered : specified, wanted: offered }
    },
  }
}

/**
 * Chooses the event logs to scan: subscribed kinds and those compared by day lists. If it is unknown whether the platform lists
 * subscriptions, a kind proven by day lists needs no log unless its subscription id is known.
 */
function createWantedLogs(
  { server, platform: asked }: Pick<Config, 'server' | 'platform'>,
  store: Pick<Store, 'jobs' | 'stores'>,
  platform: Pick<Platform, 'operations'> | null,
): ReadWantedLogs {
  const { kinds: wanted, stores: named } = asked.webhooks
  if (platform === null || server.publicUrl === undefined) return async () => []
  return async (marks) => {
    const kinds = wanted === 'all' ? await keptKinds(store) : (wanted ?? [])
    const byFacts = marks.filter(({ level }) => level === 'facts').map(({ kind }) => kind)
    const hasList = await platform.operations.isProven('webhooks.list')
    const byId = hasList ? [] : (await knownSubscriptions(store, asked.webhooks.ids)).map(({ kind }) => kind)
    const stores = await storesOf()
    return [...new Set([...kinds, ...byFacts])]
      .filter((kind) => hasList || byId.includes(kind) || !byFacts.includes(kind))
      .flatMap((kind) => (kinds.includes(kind) ? stores : [undefined]).map((storeId) => ({ kind, storeId })))
  }

  /** Undefined: a filter set elsewhere stays, or config names an unknown store. */
  async function storesOf(): Promise<readonly (string | null | undefined)[]> {
    if (named === undefined) return [undefined]
    if (named === 'all') return [null]
    return wantedIds(named, await store.stores()) ?? [undefined]
  }
}

/**
 * Throws a UserError if config drops a token that the platform still sends: its webhooks would be refused. A platform that cannot be
 * asked is logged and ignored.
 */
export async function refuseTokenInUse(
  before: { config: Pick<Config, 'server' | 'platform'>; platform: Pick<Platform, 'webhooks'> | null },
  after: Pick<Config, 'platform'>,
  logger: Logger,
): Promise<void> {
  const { publicUrl } = before.config.server
  const dropped = before.config.platform.webhooks.tokens.filter((one) => !after.platform.webhooks.tokens.includes(one))
  if (dropped.length === 0) return
  const listed = await before.platform?.webhooks.list(AbortSignal.timeout(PATIENCE)).catch(() => null)
  if (!listed || publicUrl === undefined) return logger.warn({ todo: TODO }, 'config.tokens-not-looked-at')
  const inUse = listed.rows.filter(({ url }) => dropped.includes(readCallback(url, publicUrl)?.token ?? ''))
  if (inUse.length === 0) return
  const moved =
    after.platform.webhooks.kinds === undefined ? 'reload, change their addresses at the platform' : 'reload'
  throw new UserError(
    `platform.webhooks.tokens: ${inUse.length} subscriptions still send with a token that is taken out: each would be refused. Nothing was taken in: put the new token first, leave the old one below it, ${moved}, and take it out when tillbridge subscriptions list says that each has the first one.`,
  )
}

const PATIENCE = 10_000

const TODO =
  'A token was taken out, and whether the platform still sends with it could not be looked at: tillbridge subscriptions list.'
