import { JOBS } from '../../../config/jobs.ts'
import { counted } from '../../../domain/values/counted.ts'
import { RetryLaterError } from '../../../domain/values/errors.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Inbox } from '../../../inbox/accept.ts'
import type { SearchIndex } from '../../../inbox/search-index.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Rate } from '../../../platform/http/bucket.ts'
import type { OperationName } from '../../../platform/http/endpoints.ts'
import { createRateLimit } from '../../../platform/http/rate.ts'
import type { Platform } from '../../../platform/platform.ts'
import { learnedLag } from '../../../store/reading/learned-lag.ts'
import type { Store } from '../../../store/store.ts'
import type { HubJob } from '../../engine/job.ts'
import type { WithoutList } from '../../subscriptions/known.ts'
import { withRun } from '../runs.ts'
import { SHARE } from '../share.ts'
import { createAcceptFact } from './accept.ts'
import type { Compared } from './compare-kind.ts'
import { comparisonsOf } from './comparisons.ts'
import { cutFactsBack, cutUnwatched } from './cut-facts-back.ts'
import { beginAt, readFactsState } from './facts-state.ts'
import { moveFactMarks } from './move-fact-marks.ts'
import type { SaleColumns } from './sales-source.ts'
import { readSubscribed, type SubscribedByConfig, stoodFrom } from './subscribed.ts'

interface Options {
  platform: Pick<Platform, 'webhooks' | 'salesLines' | 'stockMovements' | 'settlements' | 'deliveries'>
  store: Pick<
    Store,
    | 'stores'
    | 'jobs'
    | 'known'
    | 'mirrorPage'
    | 'mirrorRows'
    | 'covered'
    | 'gaps'
    | 'oldestGaps'
    | 'watermarks'
    | 'saveLedger'
    | 'find'
    | 'bodies'
  >
  /** The index of what events say. */
  index: Pick<SearchIndex, 'catchUp'>
  inbox: Pick<Inbox, 'accept'>
  /** Subscriptions whose URL begins here are ours. */
  publicUrl: string
  withoutList?: WithoutList
  /** The kinds that config subscribes to, where the platform does not list subscriptions. */
  subscribed?: SubscribedByConfig
  /** Whether the platform has a list, as far as documents show; undefined: it has all. */
  hasList?(operation: OperationName): boolean
  /** Sales, settlements and movements are mirrored: what events told is known. */
  mirrored: boolean
  movementColumns: { id?: string | undefined; type?: string | undefined }
  saleColumns: SaleColumns
  /** How fast the platform may be asked; undefined: config does not say. */
  rate: Rate | undefined
  clock: Clock
  logger: Logger
  /** A cron expression in UTC. */
  schedule?: string
}

/**
 * Proves what is here against what the platform lists anyway: each sale, movement and settlement of before a frozen bound was told of
 * by an event, or is accepted from its list, once. It needs no event log.
 */
export function compareFactsJob(options: Options): HubJob {
  const { platform, store, index, inbox, publicUrl, mirrored, movementColumns, saleColumns, rate, clock, logger } =
    options
  const accept = createAcceptFact({ inbox, clock, logger })
  return {
    name: 'compare-facts',
    schedule: options.schedule ?? JOBS['compare-facts'].schedule,
    async run({ now, signal, state: left, save }) {
      const state = readFactsState(left)
      const stores = await store.stores()
      if (stores.length === 0) return { note: 'no stores are known yet' }
      using limit = rate && createRateLimit({ perSecond: rate.perSecond * SHARE }, clock)
      const turn = async () => await limit?.turn({ last: false, signal })
      const had = Object.values(state.places).some((places) => places.length > 0)
      const sources = { platform, publicUrl, withoutList: options.withoutList }
      const subscribed = await readSubscribed(sources, options.subscribed, { had, signal })
      const lag = await learnedLag(store)
      const { hasList = () => true } = options
      const common = { platform, store, index, mirrored, movementColumns, saleColumns, hasList }
      const comparisons = comparisonsOf({ ...common, stores, subscribed, state, lag, now, accept, turn, save, signal })
      state.cannotTell = Object.fromEntries(
        comparisons.flatMap(({ kind, cannotTell }) => (cannotTell ? [[kind, cannotTell]] : [])),
      )
      const marks = await store.watermarks()
      for (const { kind } of comparisons) {
        await cutFactsBack(kind, state, now, store)
        await cutUnwatched(kind, subscribed.places(kind), { state, marks, now, store })
      }
      state.runs = withRun(state.runs, { at: now, bound: now - lag })
      const begins = new Map<string, Instant>()
      const compared: Compared[] = []
      for (const { kind, cannotTell, compare } of comparisons) {
        if (cannotTell !== null) continue
        const from = beginAt(state, kind, stoodFrom(marks, kind) ?? now)
        begins.set(kind, from)
        compared.push(await compare({ from, to: now - lag }))
        await save(state)
      }
      await moveFactMarks(begins, { store, logger, now })
      const note = noteOf(compared, state.cannotTell)
      const trouble = compared.flatMap(({ unproven }) => unproven)
      if (subscribed.aside > 0) trouble.push(`${counted(subscribed.aside, 'subscription')} cannot be read`)
      if (trouble.length === 0) return { state, note }
      await save(state)
      throw new RetryLaterError(`${trouble.slice(0, 3).join('; ')}. Done: ${note}`, { code: 'facts-incomplete' })
    },
  }
}

function noteOf(compared: readonly Compared[], cannotTell: Readonly<Record<string, string>>): string {
  const sum = (count: (one: Compared) => number) => compared.reduce((total, one) => total + count(one), 0)
  const counts = [
    [sum(({ untold }) => untold), 'that no event told of'],
    [sum(({ accepted }) => accepted), 'accepted from their lists'],
  ] as const
  const told = counts.filter(([count]) => count > 0).map(([count, what]) => `, ${count} ${what}`)
  const facts = counted(
    sum((one) => one.facts),
    'fact',
  )
  const not = Object.entries(cannotTell).map(([kind, why]) => `; of ${kind} they cannot tell: ${why}`)
  return `${counted(compared.length, 'kind')}: ${facts}${told.join('')}${not.join('')}`
}
