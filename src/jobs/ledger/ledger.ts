import { ALLOWED_LATENESS } from '../../domain/ledger/horizon.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import { counted } from '../../domain/values/text.ts'
import type { Inbox } from '../../inbox/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { createRateLimiter, type Rate } from '../../lib/rate-limiter.ts'
import { type Mappings, NO_MAPPINGS } from '../../payloads/mapping/mapping.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import { allGaps } from '../../store/walk-pages.ts'
import type { HubJob } from '../engine/job.ts'
import { isAboutItem } from '../pulls/days.ts'
import { createTake } from '../resend/resend-subscription.ts'
import type { IsWanted } from '../subscriptions/decide.ts'
import { listOurs, type OursFound, type OwnSubscription, type WithoutList } from '../subscriptions/known.ts'
import { cutBack, type LedgerState, readLedgerState, SHARE } from './ledger-state.ts'
import { mendGaps } from './mend.ts'
import { moveWatermarks } from './move-watermarks.ts'
import { sizesAfter } from './read-window.ts'
import { type Sweep, sweep } from './sweep.ts'

interface Options {
  platform: Pick<Platform, 'webhooks' | 'events'>
  store: Pick<Store, 'seen' | 'known' | 'covered' | 'gaps' | 'oldestGaps' | 'watermarks' | 'saveLedger'>
  inbox: Pick<Inbox, 'accept'>
  publicUrl: string
  withoutList?: WithoutList
  /** Not given: subscriptions are made by hand, and all are wanted. */
  wanted?: () => Promise<IsWanted>
  /** `platform.webhooks.eventIdHeader` names each event that arrives. */
  keyed: boolean
  mappings?: Mappings
  rate: Rate | undefined
  clock: Clock
  logger: Logger
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/**
 * Reconciles with the platform's event log: every record of every own subscription, up to a cut-off, must be here by its event id. What
 * is not is a gap, and is repaired; then the watermarks move.
 */
export function ledgerJob(options: Options): HubJob {
  const { platform, store, inbox, publicUrl, keyed, rate, clock, logger } = options
  const { wanted = async () => () => true, mappings = NO_MAPPINGS } = options
  const take = createTake({ inbox, clock, logger })
  return {
    name: 'ledger',
    async run({ now, signal, state: left, save }) {
      if (!keyed) return { note: UNNAMED }
      const state = readLedgerState(left)
      using limit = rate && createRateLimiter({ perSecond: rate.perSecond * SHARE }, clock)
      const turn = async () => await limit?.turn({ last: false, signal })
      const sources = { platform, publicUrl, withoutList: options.withoutList }
      const found = await listOurs(sources, signal, Object.keys(state.swept).length > 0)
      const { aside, isListed } = found
      const bent = bentOf(found, state)
      // Replaced by a scanned subscription: its log is read for open gaps only.
      const isReplaced = ({ kind, storeId }: OwnSubscription) =>
        found.ours.some(
          (one) =>
            one.kind === kind &&
            (one.storeId === null || one.storeId === storeId) &&
            (state.swept[one.webhookId]?.from ?? null) !== null,
        )
      const replaced = bent.filter(isReplaced)
      const ours = [...found.ours, ...bent.filter((one) => !replaced.includes(one))]
      const listedAt = clock.now()
      const bound = now - ALLOWED_LATENESS
      const { lookedBackAt } = state
      const looksBack = lookedBackAt === null || now - lookedBackAt >= DAY || lookedBackAt > now
      const sizes = sizesAfter(state.largest)
      const tools = { platform, store, mappings, looksBack, state, listedAt, sizes, turn, signal }
      for (const one of ours) await cutBack(one, state, now, store)
      const sweeps: Sweep[] = []
      const failed: string[] = []
      for (const one of ours)
        try {
          sweeps.push(await sweep(one, bound, now, tools))
          state.largest = Math.max(state.largest, sizes.largest)
          await save(state)
        } catch (error) {
          if (signal.aborted || !isAboutItem(error)) throw error
          failed.push(`${one.kind}: ${error.message}`)
        }
      if (looksBack && failed.length === 0) state.lookedBackAt = now
      const mended = await mendGaps([...ours, ...replaced], now, {
        ...{ platform, store, logger, turn, signal },
        take,
        knowsAll: isListed,
        sameClock: state.sameClock === true,
      })
      await moveWatermarks(ours, now, { store, state, isWanted: await wanted(), logger })
      const missing = replaced.length === 0 ? [] : await allGaps(store, { road: 'log', state: 'open' })
      for (const { webhookId } of replaced)
        if (missing.every(({ evidence }) => evidence.log?.webhookId !== webhookId)) delete state.swept[webhookId]
      const sum = (count: (one: Sweep) => number) => sweeps.reduce((total, one) => total + count(one), 0)
      const counts = [
        [sum(({ lacking }) => lacking), 'not here'],
        [sum(({ noted }) => noted), 'here though the platform says they failed'],
        [mended.arrived, 'have come'],
        [mended.taken, 'taken from the log'],
        [sum((one) => one.aside) + aside, 'rows aside'],
      ] as const
      const told = counts.filter(([count]) => count > 0).map(([count, what]) => `, ${count} ${what}`)
      const records = counted(
        sum((one) => one.records),
        'record',
      )
      const ahead =
        state.ahead !== null && state.ahead.by > 0 ? `, its clock ${state.ahead.by / MINUTE} minutes ahead` : ''
      const note = `${counted(ours.length, 'subscription')}, ${records}${told.join('')}${ahead}`
      const trouble = [...failed, ...sweeps.flatMap(({ unproven }) => unproven)]
      if (trouble.length === 0) return { state, note }
      await save(state)
      throw new RetryLaterError(`${trouble.slice(0, 3).join('; ')}. Done: ${note}`, { code: 'ledger-incomplete' })
    },
  }
}

const UNNAMED =
  'the event log tells of events by their ids, and no header names these here: platform.webhooks.eventIdHeader (tillbridge doctor finds it)'

/** Own subscriptions whose address was changed by others: their logs have what went elsewhere. */
function bentOf({ ours, listed }: OursFound, { swept }: LedgerState): OwnSubscription[] {
  const ids = new Set(ours.map(({ webhookId }) => webhookId))
  return Object.entries(swept).flatMap(([webhookId, { kind, name, storeId = null, from }]) =>
    kind === null || from === null || ids.has(webhookId) || !listed.has(webhookId)
      ? []
      : [{ webhookId, kind, name, storeId }],
  )
}
