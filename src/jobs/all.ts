import type { Archive } from '../archive/archive.ts'
import { JOBS, type JobName, SWITCHED_OFF } from '../config/jobs.ts'
import type { Rules } from '../domain/completeness/pos.ts'
import type { OpeningHours } from '../domain/inactivity.ts'
import { PLATFORM } from '../domain/queue/event.ts'
import type { Ages } from '../domain/retention.ts'
import { createStoreIndex, type StoreIndex, type StoreRecord } from '../domain/stores/store-index.ts'
import { RetryLaterError } from '../domain/values/errors.ts'
import type { Flow } from '../flows/flow.ts'
import type { Inbox } from '../ingest/accept.ts'
import type { SearchIndex } from '../ingest/search-index.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Rate } from '../lib/rate-limiter.ts'
import { type Mappings, NO_MAPPINGS } from '../platform/payloads/mapping/mapping.ts'
import type { Platform } from '../platform/platform.ts'
import type { Storage } from '../storage/storage.ts'
import { type AlarmOptions, alarmsJob } from './alarms.ts'
import { backlogJob } from './backlog.ts'
import { bulkActsJob } from './bulk-acts.ts'
import { type HubJob, type Job, offWhereAbsent } from './engine/job.ts'
import { inactivityJob } from './inactivity.ts'
import { productsJob } from './products/products.ts'
import type { LookBack } from './pulls/days.ts'
import { salesLinesJob, settlementsJob, stockMovementsJob } from './pulls/events-by-day.ts'
import { goodsDeliveriesJob } from './pulls/goods-deliveries.ts'
import { createIngest } from './pulls/ingest.ts'
import { shopOrdersJob } from './pulls/shop-orders.ts'
import { storesJob } from './pulls/stores.ts'
import { readBackJob } from './read-back/read-back.ts'
import type { ReconcilableDestination } from './reconciliation/comparison.ts'
import { type DestinationRules, reconcileDestinationsJob } from './reconciliation/reconcile-destinations.ts'
import { reconcileListsJob } from './reconciliation/reconcile-lists.ts'
import { reconcileLogJob } from './reconciliation/reconcile-log.ts'
import { reconcilePosJob } from './reconciliation/reconcile-pos.ts'
import type { SaleColumns } from './reconciliation/sales.ts'
import { resendFailedJob } from './resend-failed.ts'
import { compressJob, noticesJob } from './retention/ageing.ts'
import { retentionJob } from './retention/retention.ts'
import { type ReconcileOptions, reconcileStockJob, stockLevelsJob } from './stock.ts'
import { type GivenIds, knownSubscriptions, readWanted } from './subscriptions/decide.ts'
import { schemasJob } from './subscriptions/schemas.ts'
import { readSubscribedKinds, subscriptionsJob } from './subscriptions/subscriptions.ts'

interface Options extends Pulling {
  platform: Platform | null
  storage: Storage
  searchIndex: Pick<SearchIndex, 'catchUp'>
  inbox: Pick<Inbox, 'accept' | 'announce'>
  /** Without it there are no subscriptions. */
  publicUrl: string | undefined
  /** Undefined: subscriptions are left alone. */
  kinds: 'all' | readonly string[] | undefined
  ids?: GivenIds
  /** Undefined: all, but a limit set by hand stays. */
  subscribedStores?: 'all' | readonly string[] | undefined
  keyed: boolean
  saleColumns?: SaleColumns
  rate?: Rate | undefined
  token: string
  schedules: Partial<Record<JobName, string | undefined>>
  intake?: Pick<Parameters<typeof shopOrdersJob>[0], 'systems' | 'take'>
  reconcile: Pick<ReconcileOptions, 'correct' | 'stockOf' | 'shops' | 'cap'> | null
  masterData: {
    /** By store number or country. */
    retail: Readonly<Record<string, string>>
    settles: number
    readsBack: boolean
  } | null
  mappings?: Mappings
  reached?(destination: string): void
  storeIndex(): StoreIndex
  pos: Rules
  asked?: { destinations: readonly ReconcilableDestination[]; rules: DestinationRules; flows: readonly Flow[] }
  /** Null: kept for ever, not archived. */
  retention: { ages: Ages | null; archive: Archive | null; room(): Promise<number | null> }
  opening: OpeningHours
  alarms: AlarmOptions
  start?(name: JobName): void
  /** Tries a destination at once. */
  probe(destination: string): Promise<void>
  onStores(storeIndex: StoreIndex): void
  clock: Clock
  logger: Logger
}

/** Jobs that need `server.publicUrl`. */
export const BY_ADDRESS = ['resend-failed', 'reconcile-log', 'reconcile-lists'] as const satisfies readonly JobName[]

export function createJobs(options: Options): Job[] {
  const { platform, schedules, start } = options
  const asking = (job: HubJob): HubJob => {
    const asked = platform === null ? job : offWhereAbsent(job, platform)
    return { ...startingSubscriptions(asked, start), ...('bulk' in JOBS[job.name] && { bulk: true }), asks: PLATFORM }
  }
  const ofPlatform = platform === null ? [] : platformJobs({ ...options, platform }).map(asking)
  return [...ofPlatform, ...ownJobs(options)].flatMap((job): Job[] => {
    const schedule = schedules[job.name] ?? JOBS[job.name].schedule
    return schedule === SWITCHED_OFF ? [] : [{ ...job, schedule }]
  })
}

function ownJobs(options: Options): HubJob[] {
  const { platform, storage, storeIndex, mappings = NO_MAPPINGS, asked, intake, clock, logger } = options
  const { reached = () => {} } = options
  const jobs: HubJob[] = [
    alarmsJob(options.alarms),
    bulkActsJob({ storage, probe: options.probe, logger }),
    noticesJob({ storage, index: options.searchIndex }),
    compressJob(storage, clock),
    retentionJob({ storage, ...options.retention, schedule: options.schedules.retention, logger }),
    backlogJob({ storage }),
    inactivityJob({ storage, storeIndex, opening: options.opening }),
  ]
  if (options.mirrored === 'all') jobs.push(reconcilePosJob({ storage, rules: options.pos, storeIndex, logger }))
  if (asked !== undefined && asked.destinations.length > 0)
    jobs.push(reconcileDestinationsJob({ storage, ...asked, mappings, storeIndex, reached }))
  if (platform !== null && intake && intake.systems.length > 0)
    jobs.push(shopOrdersJob({ ...intake, reached, clock, logger }))
  return jobs
}

function platformJobs(options: Options & { platform: Platform }): HubJob[] {
  const { platform, storage, inbox, publicUrl, kinds, subscribedStores, ids = {}, mappings = NO_MAPPINGS } = options
  const { mirrored, reconcile, masterData, soldFrom, pulls, rate, clock, logger } = options
  const isListProven = () => platform.operations.isProven('webhooks.list')
  const known = () => storage.stores()
  const withoutList = { isListProven, known: () => knownSubscriptions(storage, ids) }
  const jobs: HubJob[] = [
    storesJob({
      platform,
      async save(records: StoreRecord[], now) {
        await storage.saveStores(records, now)
        options.onStores(createStoreIndex(await storage.stores()))
      },
      known,
      saveDetails: (details, now) => storage.saveMirror(details, now),
      logger,
    }),
    schemasJob({ platform, mappings, logger }),
  ]
  if (publicUrl !== undefined && kinds !== undefined) {
    const wanted = { publicUrl, subscription: 'all', token: options.token, kinds, stores: subscribedStores }
    jobs.push(subscriptionsJob({ platform, isListProven, ids, wanted, known, logger }))
  }
  if (publicUrl !== undefined) {
    const common = { platform, storage, inbox, publicUrl, withoutList, rate, clock, logger }
    const seen = (webhookEventIds: readonly string[]) => storage.seen(PLATFORM, webhookEventIds)
    const wanted =
      kinds &&
      (() => readWanted({ kinds, offered: () => readSubscribedKinds(storage), stores: subscribedStores, known }))
    jobs.push(
      resendFailedJob({ ...common, seen }),
      reconcileLogJob({ ...common, ...(wanted && { wanted }), keyed: options.keyed, mappings }),
      reconcileListsJob({
        ...common,
        // For some stores: unknown which, if the platform does not say.
        subscribed: subscribedStores === undefined || subscribedStores === 'all' ? kinds : undefined,
        hasList: (operation) => platform.operations.isShown(operation),
        mirrored: mirrored === 'all',
        movementColumns: pulls.movementColumns,
        saleColumns: options.saleColumns ?? {},
      }),
    )
  }
  if (mirrored !== null && reconcile !== null)
    jobs.push(reconcileStockJob({ ...reconcile, platform, storage, soldFrom, clock, logger }))
  if (masterData !== null && mirrored === 'all') {
    const { retail, settles, readsBack } = masterData
    const ingest = createIngest({ inbox, clock, logger })
    const common = { platform, storage, settles, clock, logger }
    jobs.push(productsJob({ ...common, ingest, retail }))
    if (readsBack) jobs.push(readBackJob(common))
  }
  return [...jobs, ...createPulls({ ...options, platform })]
}

/** Whichever job sees that all subscriptions are gone has them created again. */
function startingSubscriptions(job: HubJob, start: Options['start']): HubJob {
  if (job.name === 'subscriptions' || start === undefined) return job
  return {
    ...job,
    async run(run) {
      try {
        return await job.run(run)
      } catch (error) {
        if (error instanceof RetryLaterError && error.code === 'no-subscriptions') start('subscriptions')
        throw error
      }
    },
  }
}

export interface Pulling {
  mirrored: 'all' | 'stock' | null
  wanted?: (kind: string) => boolean
  soldFrom: readonly string[]
  listsDeliveries: boolean
  pulls: LookBack & { movementColumns: { id?: string | undefined; type?: string | undefined } }
}

interface PullOptions extends Pulling {
  platform: Pick<Platform, 'settlements' | 'stock' | 'stockMovements' | 'salesLines' | 'goodsDeliveries'>
  storage: Pick<Storage, 'stores' | 'mirrorRows' | 'mirrorPage'>
  inbox: Pick<Inbox, 'accept' | 'announce'>
  clock: Clock
  logger: Logger
}

export function createPulls(options: PullOptions): HubJob[] {
  const { platform, storage, inbox, mirrored, wanted = () => true, soldFrom, listsDeliveries, pulls } = options
  const { clock, logger } = options
  const { movementColumns, ...back } = pulls
  const { id, type } = movementColumns
  const all = mirrored === 'all'
  const common = { platform, storage, ingest: createIngest({ inbox, clock, logger }), back, soldFrom, clock, logger }
  const leftOut = (job: string, lacks: string) => logger.debug({ job, lacks }, 'job.left-out')
  const jobs: HubJob[] = []
  if (wanted('POSSettlementCreated')) jobs.push(settlementsJob({ ...common, mirrored: all }))
  if (mirrored !== null && wanted('StockLevelRead')) jobs.push(stockLevelsJob(common))
  if (wanted('StockMovementCreated')) {
    if (id !== undefined) jobs.push(stockMovementsJob({ ...common, columns: { id, type } }))
    else leftOut('stock-movements', 'pulls.movementColumns.id')
  }
  if (all && wanted('SalesLinesRead')) jobs.push(salesLinesJob(common))
  if (all && wanted('DeliveryUpdated')) {
    if (listsDeliveries) jobs.push(goodsDeliveriesJob(common))
    else leftOut('goods-deliveries', 'platform.endpoints.goodsDeliveries.list')
  }
  return jobs
}
