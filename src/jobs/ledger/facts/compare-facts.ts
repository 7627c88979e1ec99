import { JOBS } from '../../../config/jobs.ts'
import { zonesOf } from '../../../domain/ledger/facts/wall-clock.ts'
import { lagOf } from '../../../domain/ledger/lag.ts'
import { counted } from '../../../domain/values/counted.ts'
import { RetryLaterError } from '../../../domain/values/errors.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Inbox } from '../../../inbox/accept.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { OperationName } from '../../../platform/http/endpoints.ts'
import { createRateLimit, type Rate } from '../../../platform/http/rate.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Store } from '../../../store/store.ts'
import type { HubJob } from '../../engine/job.ts'
import { openStores, todaysOf } from '../../pulls/store-days.ts'
import { readLedgerState } from '../ledger-state.ts'
import { createAcceptFact } from './accept.ts'
import { type Compared, compareKind } from './compare-kind.ts'
import { beginAt, readFactsState } from './facts-state.ts'
import { moveFactMarks } from './move-fact-marks.ts'
import { movementsRoad } from './movements.ts'
import { createPlaces } from './places.ts'
import { salesRoad } from './sales.ts'
import type { SaleColumns } from './sales-source.ts'
import { settlementsRoad } from './settlements.ts'
import { readSubscribed, type SubscribedByConfig, stoodFrom } from './subscribed.ts'

interface Options {
  platform: Pick<Platform, 'webhooks' | 'salesLines' | 'stockMovements' | 'settlements'>
  store: Pick<
    Store,
    'stores' | 'jobs' | 'known' | 'mirrorPage' | 'covered' | 'gaps' | 'oldestGaps' | 'watermarks' | 'saveLedger'
  >
  inbox: Pick<Inbox, 'accept'>
  /** Subscriptions whose URL begins here are ours. */
  publicUrl: string
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

/** The part of the platform's rate that it takes: the rest is for live traffic. */
const SHARE = 0.2

/**
 * Proves what is here against what the platform lists anyway: each sale, movement and settlement of before a frozen bound was told of
 * by an event, or is accepted from its list, once. It needs no event log.
 */
export function compareFactsJob(options: Options): HubJob {
  const { platform, store, inbox, publicUrl, mirrored, movementColumns, saleColumns, rate, clock, logger } = options
  const { hasList = () => true } = options
  const accept = createAcceptFact({ inbox, clock, logger })
  return {
    name: 'compare-facts',
    schedule: options.schedule ?? JOBS['compare-facts'].schedule,
    async run({ now, signal, state: left, save }) {
      const state = readFactsState(left)
      const all = await store.stores()
      if (all.length === 0) return { note: 'no stores are known yet' }
      using limit = rate && createRateLimit({ perSecond: rate.perSecond * SHARE }, clock)
      const turn = async () => await limit?.turn({ last: false, signal })
      const subscribed = await readSubscribed(platform, publicUrl, options.subscribed, signal)
      const lag = await lagNow()
      const stores = openStores(all, now)
      const lacks = (operation: OperationName) => (hasList(operation) ? null : 'the platform has no such list')
      const asked = { platform, store, places: createPlaces(all), mirrored, lacks }
      const roads = [
        salesRoad({ ...asked, columns: saleColumns, subscribed }),
        movementsRoad({ ...asked, columns: movementColumns }),
        settlementsRoad(asked),
      ].filter(({ kind }) => subscribed.isFor(kind))
      state.cannotTell = Object.fromEntries(
        roads.flatMap(({ kind, cannotTell: why }) => (why === null ? [] : [[kind, why]])),
      )
      const marks = await store.watermarks()
      const begins = new Map<string, Instant>()
      const compared: Compared[] = []
      const common = { state, lag, now, zones: zonesOf(stores), lastDay: todaysOf(stores, now).last }
      for (const road of roads) {
        if (road.cannotTell !== null) continue
        const from = beginAt(state, road.kind, stoodFrom(marks, road.kind) ?? now)
        begins.set(road.kind, from)
        const span = { from, to: now - lag }
        const watched = (storeId: string | null) => subscribed.watches(road.kind, storeId)
        compared.push(await compareKind({ ...common, road, span, watched, store, accept, turn, signal }))
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

  /** The lag that the job `ledger` has learned. */
  async function lagNow(): Promise<number> {
    const row = (await store.jobs()).find(({ name }) => name === 'ledger')
    return lagOf(readLedgerState(row?.state == null ? null : JSON.parse(row.state)).latenesses)
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
