import express, { type RequestHandler, Router } from 'express'
import type { KindAcknowledged } from '../domain/catalogue/finding.ts'
import type { RowsAside } from '../domain/health/health.ts'
import type { SubscriptionPlan } from '../domain/health/subscription-plan.ts'
import type { Flow } from '../flows/flow.ts'
import type { Correct } from '../inbox/corrections.ts'
import type { Clock } from '../lib/clock.ts'
import { type Refused, recognise } from '../lib/http/problem.ts'
import { bearerOf, createTokenHolders, createWrongTokenAnswer } from '../lib/http/tokens.ts'
import type { Logger } from '../lib/logger.ts'
import type { Mappings } from '../payloads/mapping/mapping.ts'
import type { SchemaVersion } from '../payloads/schema/versions.ts'
import type { Platform } from '../platform/platform.ts'
import type { CompletenessContext } from '../store/read-completeness.ts'
import type { Store } from '../store/store.ts'
import { createActs, keepRefusal } from './acts.ts'
import { createAlarmsAdmin } from './alarms.ts'
import { createApiKeysAdmin } from './api-keys.ts'
import { notFound, setOperator } from './asking.ts'
import { createAuditAdmin } from './audit.ts'
import { createCompletenessAdmin } from './completeness.ts'
import { createDeliveriesAdmin } from './deliveries/deliveries.ts'
import { createMessagesAdmin } from './deliveries/messages.ts'
import { createMoveAdmin } from './deliveries/move.ts'
import { createResendAdmin } from './deliveries/resend.ts'
import { createDestinationsAdmin } from './destinations.ts'
import { createEndpointsAdmin } from './endpoints.ts'
import { createEventsAdmin } from './events.ts'
import { archiveToExamine, type Doctored, examineSystems, platformToExamine } from './examine/examine.ts'
import { type Looked, type Looking, lookAround } from './examine/look.ts'
import { createProbing, type Probing } from './examine/probing.ts'
import { type LaneWork, type Requests, readStatus } from './examine/status.ts'
import { createFilesAdmin } from './files.ts'
import { createArticlesAdmin } from './find/article.ts'
import { createFindAdmin } from './find/find.ts'
import type { Thresholds } from './find/late.ts'
import { createOrdersAdmin } from './find/orders.ts'
import { createProductsAdmin } from './find/products.ts'
import { createSettlementsAdmin } from './find/settlements.ts'
import { createStockAdmin } from './find/stock.ts'
import { createGapsAdmin } from './gaps.ts'
import { createHints } from './hints.ts'
import { createJobsAdmin, type Jobs } from './jobs.ts'
import { createKindsAdmin } from './kinds.ts'
import { createListsAdmin } from './lists.ts'
import { createPeopleAdmin } from './people/people.ts'
import { createReloadAdmin, type Reload } from './reload.ts'
import { createRetentionAdmin, type Retaining } from './retention/retention.ts'
import { createStoppedActs } from './stopped-acts.ts'
import { createSubscriptionsAdmin } from './subscriptions.ts'

interface Options {
  store: Store
  /** Null: config has none. */
  platform: Pick<Platform, 'operations' | 'stores' | 'webhooks' | 'products' | 'listedPrices'> | null
  /** Tokens of operators, by whose they are. */
  admins: Readonly<Record<string, string>>
  /** Names of the destinations that config has. */
  destinations: readonly string[]
  working: () => LaneWork[]
  /** The adapters that may look at their systems. */
  systems: Probing['systems']
  /** Tries a destination in trouble now; resolves when the call has ended, or there was none to make. */
  probe: Probing['probe']
  holdsDeliveries: Probing['holdsDeliveries']
  storeNow: Looking['storeNow']
  disk: Looking['disk']
  subscriptions: Looking['subscriptions']
  requests: () => Requests
  /** Rows of the platform's lists that cannot be read. */
  aside: () => RowsAside[]
  doubts: Looking['doubts']
  silences: Looking['silences']
  schemaChanges: Looking['schemaChanges']
  clockJump: Looking['clockJump']
  log: Looking['log']
  eventLoop: Looking['eventLoop']
  alarms: Looking['alarms'] & Parameters<typeof createAlarmsAdmin>[0]['alarms']
  jobs: Jobs
  reload: Reload
  reroute: Parameters<typeof createEventsAdmin>[0]['reroute']
  acceptAsOwn: Parameters<typeof createEventsAdmin>[0]['acceptAsOwn']
  reparse: Parameters<typeof createEventsAdmin>[0]['reparse']
  correct: Correct
  /** Where the platform reaches this hub, with which tokens, and which callbacks are there. */
  callbacks: Pick<Parameters<typeof createSubscriptionsAdmin>[0], 'publicUrl' | 'tokens' | 'callbackAt'>
  /** The difference between what config wants subscribed and what is. */
  planSubscriptions: () => Promise<SubscriptionPlan>
  completeness: CompletenessContext
  mirrored: 'stock' | 'all' | null
  files: Omit<Parameters<typeof createFilesAdmin>[0], 'acts' | 'stopped' | 'flows'>
  /** The delivery that gives a destination once more what it has lost. */
  resendOf: Parameters<typeof createResendAdmin>[0]['resendOf']
  /** The index of what events say; and where people dial who do not write the country. */
  search: Pick<Parameters<typeof createFindAdmin>[0], 'index' | 'countries'>
  /** Where files may speak of people, outside of the store. */
  outside: Parameters<typeof createPeopleAdmin>[0]['outside']
  telling: Parameters<typeof createPeopleAdmin>[0]['telling']
  flows: readonly Flow[]
  carriesOut: Parameters<typeof createMoveAdmin>[0]['carriesOut']
  retaining: Retaining
  refused: Refused
  /** Where config says that fields of payloads stand. */
  mappings: Mappings
  /** The platform's schemas that are kept, by kind. */
  schemas: () => Promise<Readonly<Record<string, readonly SchemaVersion[]>>>
  /** What operators have acknowledged, by kind. */
  acknowledgedKinds: () => Promise<ReadonlyMap<string, KindAcknowledged>>
  /** How long each thing may take before it is late. */
  thresholds: Thresholds
  clock: Clock
  logger: Logger
}

/** `/admin/*`: JSON for people and the command line. Reads rows, changes rows. */
export function createAdmin({ store, destinations, working, jobs, clock, logger, ...rest }: Options): Router {
  const router = Router()
  const acts = createActs({ store, clock, logger })
  const { flows, thresholds, correct, platform, mappings, schemas, probe, carriesOut, completeness } = rest
  router.use('/admin', noStore, requireToken(rest.admins, rest.refused))
  router.use('/admin/people/archived', express.json({ limit: LARGEST_EVENT }))
  // Whatever type is named: what was not read, such as a reason, would be lost without a word.
  router.use('/admin', express.json({ type: () => true }))

  const looking = { ...rest, store, destinations, working, jobs, clock }
  router.get('/admin/status', async (_, response) => {
    response.json(await readStatus(store, looking))
  })
  const systems = [...rest.systems, ...platformToExamine(platform)]
  router.get('/admin/health', async (_, response) => {
    response.json((await lookAround(looking)) satisfies Looked)
  })
  // The systems are asked by the hub itself, which has the keys, and stands where it stands.
  const examined = [...systems, ...archiveToExamine(rest.outside.archive)]
  router.get('/admin/doctor', async (_, response) => {
    const [{ items }, found] = await Promise.all([lookAround(looking), examineSystems(examined, clock)])
    response.json({ items, systems: found } satisfies Doctored)
  })

  const probing = createProbing({ store, systems, working, probe, holdsDeliveries: rest.holdsDeliveries, clock })
  const hints = createHints({ flows, destinations })
  router.use('/admin', createListsAdmin({ store, flows, hints, acts }))
  router.use(
    '/admin/events',
    createEventsAdmin({
      store,
      reroute: rest.reroute,
      acceptAsOwn: rest.acceptAsOwn,
      reparse: rest.reparse,
      hints,
      acts,
      logger,
    }),
  )
  router.use('/admin/deliveries', createDeliveriesAdmin({ store, probe, hints, acts }))
  router.use('/admin/deliveries', createMoveAdmin({ store, destinations, flows, carriesOut, acts }))
  router.use('/admin/deliveries', createResendAdmin({ store, resendOf: rest.resendOf, acts }))
  router.use('/admin/deliveries', createMessagesAdmin({ store, flows, destinations, acts }))
  router.use('/admin/destinations', createDestinationsAdmin({ store, destinations, probing, acts, clock, logger }))
  router.use('/admin', createOrdersAdmin({ store, flows, thresholds, clock }))
  router.use(
    '/admin/files',
    createFilesAdmin({ ...rest.files, flows, acts, stopped: createStoppedActs({ store, acts }) }),
  )
  router.use(
    '/admin/subscriptions',
    createSubscriptionsAdmin({ platform, jobs, plan: rest.planSubscriptions, acts, ...rest.callbacks }),
  )
  router.use('/admin/settlements', createSettlementsAdmin({ store, mirrored: rest.mirrored }))
  router.use('/admin/completeness', createCompletenessAdmin({ store, completeness, clock }))
  router.use('/admin/gaps', createGapsAdmin({ store, hints, acts }))
  router.use('/admin/alarms', createAlarmsAdmin({ alarms: rest.alarms, acts }))
  router.use('/admin/audit', createAuditAdmin({ store }))
  router.use('/admin/find', createFindAdmin({ store, flows, destinations, acts, ...rest.search }))
  router.use(
    '/admin/people',
    createPeopleAdmin({ store, acts, outside: rest.outside, telling: rest.telling, clock, ...rest.search }),
  )
  router.use('/admin/jobs', createJobsAdmin({ jobs, store, acts, clock, logger }))
  router.use('/admin/stock', createStockAdmin({ store, correct, acts, logger }))
  router.use('/admin/products', createProductsAdmin({ store }))
  router.use('/admin/articles', createArticlesAdmin({ platform }))
  router.use('/admin/endpoints', createEndpointsAdmin({ platform, store }))
  router.use(
    '/admin/kinds',
    createKindsAdmin({ store, mappings, schemas, acknowledged: rest.acknowledgedKinds, acts, clock }),
  )
  router.use('/admin/retention', createRetentionAdmin({ store, retaining: rest.retaining, acts, clock }))
  router.use('/admin/keys', createApiKeysAdmin({ store, acts, clock, logger }))
  router.use('/admin/reload', createReloadAdmin(rest.reload, acts))

  router.use('/admin', (request, response) =>
    notFound(response, `There is no ${request.method} ${request.baseUrl}${request.path} here.`),
  )
  router.use('/admin', keepRefusal)
  return router
}

/** An event of the archive comes whole, and a body may be larger than what people ask. */
const LARGEST_EVENT = '64mb'

/** The answers stay in no browser or proxy: they are about people, and about money. */
const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store')
  next()
}

function requireToken(admins: Options['admins'], refused: Refused): RequestHandler {
  const holderOf = createTokenHolders(admins)
  const refuse = createWrongTokenAnswer(
    'Send Authorization: Bearer … with server.adminToken (or a token of server.admins) of the config that the hub runs with: TILLBRIDGE_ADMIN_TOKEN, where that is set. Where the file has another one by now, SIGHUP has the hub read it, or TILLBRIDGE_URL and TILLBRIDGE_ADMIN_TOKEN (the old one) before "tillbridge reload".',
    refused,
  )
  return async (request, response, next) => {
    const holder = holderOf(bearerOf(request.headers.authorization))
    if (holder === null) return await refuse(request, response)
    setOperator(response, holder)
    recognise(request, response, 'admin')
    next()
  }
}
