import express, { type Express, type Router } from 'express'
import { createAdmin } from '../admin/admin.ts'
import type { Looking } from '../admin/examine/look.ts'
import type { Reload } from '../admin/reload.ts'
import type { Archive } from '../archive/archive.ts'
import { type Config, DEFAULT_ADMIN } from '../config/config.ts'
import type { Worker } from '../delivery/worker.ts'
import type { Flow } from '../flows/flow.ts'
import { forgetPerson } from '../flows/forget-person.ts'
import type { Inbox } from '../inbox/accept.ts'
import { acceptAsOwn } from '../inbox/accept-as-own.ts'
import { bookAgain } from '../inbox/book-again.ts'
import type { Correct } from '../inbox/corrections.ts'
import { reparse } from '../inbox/reparse.ts'
import { reroute } from '../inbox/reroute.ts'
import { resendOf } from '../inbox/resend.ts'
import { resumeUnread } from '../inbox/resume-unread.ts'
import { canCarryOut, type Routable, type Route } from '../inbox/route.ts'
import type { Scheduler } from '../jobs/engine/scheduler.ts'
import { readCallback } from '../jobs/subscriptions/decide.ts'
import { acknowledgedKinds, keptSchemas } from '../jobs/subscriptions/schemas.ts'
import { wantsSubgroup } from '../platform/http/endpoints.ts'
import type { Platform } from '../platform/platform.ts'
import { createApiKeyCheck } from '../receiver/api-key.ts'
import { createCompletenessRead } from '../receiver/completeness/completeness-read.ts'
import { createHealth } from '../receiver/health.ts'
import { createIntake } from '../receiver/intake/intake.ts'
import type { Taking } from '../receiver/intake/taking.ts'
import { createMetrics } from '../receiver/metrics/metrics.ts'
import { createMirrorReads } from '../receiver/mirror/mirror-reads.ts'
import { nothingHere, problemHandler } from '../receiver/problem.ts'
import { answerSafely } from '../receiver/safe-headers.ts'
import type { WholeBodies } from '../receiver/submissions/body/whole-body.ts'
import { createSubmissions } from '../receiver/submissions/submissions.ts'
import { otherMethod } from '../receiver/v1-methods.ts'
import { createWebhooks } from '../receiver/webhooks.ts'
import type { Store } from '../store/store.ts'
import type { Alarms } from './alarms.ts'
import type { Base } from './base.ts'
import { createCompletenessContext } from './completeness-context.ts'
import type { Outage } from './guards/outage.ts'
import { lookForMetrics } from './metrics.ts'
import { setupRetention } from './retention.ts'
import { planSubscriptions } from './subscription-wishes.ts'
import type { Systems } from './systems.ts'

interface Parts {
  platform: Platform | null
  looking: Looking
  alarms: Alarms
  systems: Systems
  routables: readonly Routable[]
  route: Route
  /** As the storage's, with what was posted by number alone told apart. */
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
  reload: Reload
}

/** Everything that answers requests by one config, in the order in which it is asked. */
export function createFaces(
  { server, platform: asked, lookups, destinations, ...config }: Config,
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
        // What is held for the same reason goes on with the first part of it.
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
      planSubscriptions: () => planSubscriptions({ server, platform: asked }, base, platform),
      completeness,
      callbacks: { publicUrl: server.publicUrl, tokens: webhooks.tokens, callbackAt: readCallback },
      mirrored,
      files: {
        writers: destinations.filter(({ adapter }) => adapter === 'files').map(({ name }) => name),
        bookAgain: (asked, how) => bookAgain({ store, route: parts.route, flows, mappings }, asked, how),
      },
      resendOf: (delivery) => resendOf(delivery, { store, route: parts.route, mappings }),
      search: { index: base.searchIndex, countries: lookups.customers?.countries ?? [] },
      outside: {
        archive: parts.archive,
        folders: systems.searched,
      },
      carriesOut,
      telling: {
        canErase: (name) => carriesOut(name, forgetPerson),
        accept: inbox.accept,
      },
      retaining: setupRetention(config, store, parts.archive),
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
