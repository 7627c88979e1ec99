import { ALLOWED_LATENESS } from '../../domain/completeness/horizon.ts'
import { zonesOf } from '../../domain/completeness/source-record.ts'
import { NEVER, type Watermark, watermarkChanges } from '../../domain/completeness/watermark.ts'
import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { pluralize } from '../../domain/values/text.ts'
import type { Inbox } from '../../ingest/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { createRateLimiter, type Rate } from '../../lib/rate-limiter.ts'
import type { OperationName } from '../../platform/http/endpoints.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Storage } from '../../storage/storage.ts'
import type { HubJob } from '../engine/job.ts'
import { openStores, todaysOf } from '../pulls/days.ts'
import { listOurs, type OwnSources, type OwnSubscription, type WithoutList } from '../subscriptions/decide.ts'
import { createPlaces, movementsList, settlementsList } from './list.ts'
import {
  beginAt,
  type Compared,
  createAcceptListed,
  cutUnwatched,
  explainedDays,
  readListsState,
  reconcileKind,
  removeFutureListCoverage,
} from './reconcile-kind.ts'
import { type SaleColumns, salesList } from './sales.ts'
import { SHARE } from './scan.ts'

interface Options {
  platform: Pick<Platform, 'webhooks' | 'salesLines' | 'stockMovements' | 'settlements'>
  storage: Pick<
    Storage,
    | 'stores'
    | 'jobs'
    | 'known'
    | 'mirrorPage'
    | 'covered'
    | 'gaps'
    | 'oldestGaps'
    | 'watermarks'
    | 'saveReconciliation'
    | 'formerPlaces'
    | 'bodies'
  >
  inbox: Pick<Inbox, 'accept'>
  publicUrl: string
  withoutList?: WithoutList
  subscribed?: SubscribedByConfig
  /** As far as documents show; undefined: all. */
  hasList?(operation: OperationName): boolean
  mirrored: boolean
  movementColumns: { id?: string | undefined; type?: string | undefined }
  saleColumns: SaleColumns
  rate: Rate | undefined
  clock: Clock
  logger: Logger
}

/**
 * Reconciles with the platform's lists: each sale, movement and settlement before a cut-off must be here by its business key, or is taken
 * from its list. Needs no event log.
 */
export function reconcileListsJob(options: Options): HubJob {
  const { platform, storage, inbox, publicUrl, mirrored, movementColumns, saleColumns, rate, clock, logger } = options
  const accept = createAcceptListed({ inbox, clock, logger })
  return {
    name: 'reconcile-lists',
    async run({ now, signal, state: left, save }) {
      const state = readListsState(left)
      const stores = await storage.stores()
      if (stores.length === 0) return { note: 'no stores are known yet' }
      using limit = rate && createRateLimiter({ perSecond: rate.perSecond * SHARE }, clock)
      const turn = async () => await limit?.turn({ last: false, signal })
      const had = Object.values(state.places).some((places) => places.length > 0)
      const sources = { platform, publicUrl, withoutList: options.withoutList }
      const subscribed = await readSubscribed(sources, options.subscribed, { had, signal })
      const { hasList = () => true } = options
      const lacks = (operation: OperationName) => (hasList(operation) ? null : 'the platform has no such list')
      const common = { platform, storage, places: createPlaces(stores), lacks, mirrored }
      const lists = [
        salesList({ ...common, columns: saleColumns, subscribed }),
        movementsList({ ...common, columns: movementColumns }),
        settlementsList(common),
      ].filter(({ kind }) => subscribed.isFor(kind))
      const open = openStores(stores, now)
      const when = { zones: zonesOf(open), lastDay: todaysOf(open, now).last }
      state.cannotTell = Object.fromEntries(
        lists.flatMap(({ kind, cannotTell }) => (cannotTell ? [[kind, cannotTell]] : [])),
      )
      const marks = await storage.watermarks()
      for (const { kind } of lists) {
        await removeFutureListCoverage(kind, state, now, storage)
        await cutUnwatched(kind, subscribed.places(kind), { state, marks, now, storage })
      }
      const begins = new Map<string, Instant>()
      const compared: Compared[] = []
      for (const list of lists) {
        const { kind, cannotTell } = list
        if (cannotTell !== null) continue
        const from = beginAt(state, kind, stoodFrom(marks, kind) ?? now)
        begins.set(kind, from)
        const span = { from, to: now - ALLOWED_LATENESS }
        const watched = (storeId: string | null) => subscribed.watches(kind, storeId)
        compared.push(
          await reconcileKind({ ...when, list, state, span, now, watched, storage, accept, turn, save, signal }),
        )
        await save(state)
      }
      await moveListMarks(begins, { storage, logger, now })
      const note = summaryOf(compared, state.cannotTell)
      const outage = compared.flatMap(({ unproven }) => unproven)
      if (subscribed.rejected > 0) outage.push(`${pluralize(subscribed.rejected, 'subscription')} cannot be read`)
      if (outage.length === 0) return { state, note }
      await save(state)
      throw new RetryLaterError(`${outage.slice(0, 3).join('; ')}. Done: ${note}`, { code: 'lists-incomplete' })
    },
  }
}

function summaryOf(compared: readonly Compared[], cannotTell: Readonly<Record<string, string>>): string {
  const sum = (count: (one: Compared) => number) => compared.reduce((total, one) => total + count(one), 0)
  const counts = [
    [sum(({ missing }) => missing), 'listed, and not here'],
    [sum(({ accepted }) => accepted), 'accepted from their lists'],
  ] as const
  const parts = counts.filter(([count]) => count > 0).map(([count, what]) => `, ${count} ${what}`)
  const records = pluralize(
    sum((one) => one.records),
    'record',
  )
  const not = Object.entries(cannotTell).map(([kind, why]) => `; of ${kind} they cannot tell: ${why}`)
  return `${pluralize(compared.length, 'kind')}: ${records}${parts.join('')}${not.join('')}`
}

interface Moving {
  storage: Pick<Storage, 'covered' | 'gaps' | 'oldestGaps' | 'watermarks' | 'saveReconciliation'>
  logger: Logger
  now: Instant
}

/** Moves the watermarks of these kinds, and drops those of others. `begins`: by kind, since when events could come. */
export async function moveListMarks(
  begins: ReadonlyMap<string, Instant>,
  { storage, logger, now }: Moving,
): Promise<void> {
  const marks = await storage.watermarks()
  const oldest = await storage.oldestGaps('lists')
  const left = marks.filter(({ level, kind }) => level === 'lists' && !begins.has(kind))
  const drops = left.map(({ kind, storeId }) => ({ type: 'drop', level: 'lists', kind, storeId }) as const)
  if (drops.length > 0) await storage.saveReconciliation({ watermarks: drops }, now)
  for (const [kind, from] of begins) {
    const covered = await storage.covered('lists', kind)
    const excused = await explainedDays(kind, storage)
    const proof = { level: 'lists', kind, storeId: null, from, covered, excused } as const
    const { changes, wentBack } = watermarkChanges(proof, { marks, oldest, now, isIsolated: () => false })
    await storage.saveReconciliation({ watermarks: changes }, now)
    for (const back of wentBack) logger.error(back, 'watermark.went-back')
  }
}

type SubscribedByConfig = 'all' | readonly string[] | undefined

interface Subscribed {
  isFor(kind: string): boolean
  watches(kind: string, storeId: string | null): boolean
  /** Null among them: all. */
  places(kind: string): (string | null)[]
  rejected: number
}

/** Own subscriptions; from config where the platform has no list. `had`: the last run found some. */
async function readSubscribed(
  sources: OwnSources,
  byConfig: SubscribedByConfig,
  { had, signal }: { had: boolean; signal: AbortSignal },
): Promise<Subscribed> {
  try {
    const { ours, rejected, isListed } = await listOurs(sources, signal, had)
    // Ids need not be known of all that config subscribes to.
    return isListed || rejected > 0 || byConfig === undefined ? { ...byList(ours), rejected } : asConfigured(byConfig)
  } catch (error) {
    if (!(error instanceof PermanentError && NO_LIST.includes(error.code)) || byConfig === undefined) throw error
    return asConfigured(byConfig)
  }
}

const NO_LIST = ['http-404', 'no-subscription-ids']

function asConfigured(byConfig: 'all' | readonly string[]): Subscribed {
  const isFor = (kind: string) => byConfig === 'all' || byConfig.includes(kind)
  return { isFor, watches: isFor, places: (kind) => (isFor(kind) ? [null] : []), rejected: 0 }
}

function byList(ours: readonly OwnSubscription[]): Omit<Subscribed, 'rejected'> {
  const places = new Map<string, Set<string | null>>()
  for (const { kind, storeId } of ours) places.set(kind, (places.get(kind) ?? new Set()).add(storeId))
  return {
    isFor: (kind) => places.has(kind),
    places: (kind) => [...(places.get(kind) ?? [])],
    watches: (kind, storeId) =>
      places.get(kind)?.has(null) === true || (storeId !== null && places.get(kind)?.has(storeId) === true),
  }
}

/** Since when subscriptions to a kind cover all their stores; null: its log was not scanned. */
function stoodFrom(marks: readonly Watermark[], kind: string): Instant | null {
  const ofKind = marks.filter((one) => one.level === 'log' && one.kind === kind && one.until !== NEVER)
  const ofAll = ofKind.find(({ storeId }) => storeId === null)
  if (ofAll !== undefined) return ofAll.from
  return ofKind.length === 0 ? null : Math.max(...ofKind.map(({ from }) => from))
}
