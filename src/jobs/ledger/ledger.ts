import { JOBS } from '../../config/jobs.ts'
import { lagOf } from '../../domain/ledger/lag.ts'
import { counted } from '../../domain/values/counted.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import type { Inbox } from '../../inbox/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { type Mappings, NO_MAPPINGS } from '../../payloads/mapping/mapping.ts'
import type { Rate } from '../../platform/http/bucket.ts'
import { createRateLimit } from '../../platform/http/rate.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { HubJob } from '../engine/job.ts'
import { isAboutItem } from '../pulls/in-turn.ts'
import { createTake } from '../resend/take.ts'
import type { IsWanted } from '../subscriptions/decide.ts'
import { listOurs, type OwnSubscription, type WithoutList } from '../subscriptions/known.ts'
import { cutBack } from './cut-back.ts'
import { readLedgerState } from './ledger-state.ts'
import { mendGaps } from './mend.ts'
import { moveWatermarks } from './move-watermarks.ts'
import { withRun } from './runs.ts'
import { SHARE } from './share.ts'
import { type Sweep, sweep } from './sweep.ts'

interface Options {
  platform: Pick<Platform, 'webhooks' | 'events'>
  store: Pick<Store, 'seen' | 'known' | 'covered' | 'events' | 'gaps' | 'oldestGaps' | 'watermarks' | 'saveLedger'>
  inbox: Pick<Inbox, 'accept'>
  /** Subscriptions whose URL begins here are ours. */
  publicUrl: string
  withoutList?: WithoutList
  /** Reads what config subscribes to. Not given: subscriptions are made by hand, and whatever there is is wanted. */
  wanted?: () => Promise<IsWanted>
  /** A header names each event that arrives (`platform.webhooks.eventIdHeader`). */
  keyed: boolean
  /** Where config says that fields of payloads stand. */
  mappings?: Mappings
  /** How fast the platform may be asked; undefined: config does not say. */
  rate: Rate | undefined
  clock: Clock
  logger: Logger
  /** A cron expression in UTC. */
  schedule?: string
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/**
 * Proves what is here against the platform's own log: every record of every subscription of ours, up to a frozen bound, is
 * matched to the inbox. What is not here is a gap, and is mended; then the watermarks move.
 */
export function ledgerJob(options: Options): HubJob {
  const { platform, store, inbox, publicUrl, keyed, rate, clock, logger, schedule = JOBS.ledger.schedule } = options
  const { wanted = async () => () => true, mappings = NO_MAPPINGS } = options
  const take = createTake({ inbox, clock, logger })
  return {
    name: 'ledger',
    schedule,
    async run({ now, signal, state: left, save }) {
      const state = readLedgerState(left)
      using limit = rate && createRateLimit({ perSecond: rate.perSecond * SHARE }, clock)
      const turn = async () => await limit?.turn({ last: false, signal })
      const sources = { platform, publicUrl, withoutList: options.withoutList }
      const { ours, aside, isListed } = await listOurs(sources, signal, Object.keys(state.swept).length > 0)
      const listedAt = clock.now()
      const bound = now - lagOf(state.latenesses)
      const { lookedBackAt } = state
      const looksBack = lookedBackAt === null || now - lookedBackAt >= DAY || lookedBackAt > now
      const sizes = { largest: 0 }
      const tools = { platform, store, keyed, mappings, looksBack, state, listedAt, sizes, logger, turn, signal }
      const isOf = (one: OwnSubscription) => {
        const ofKind = ours.filter(({ kind }) => kind === one.kind)
        const namesakes = ofKind.filter(({ name }) => name === one.name)
        // Of those that somebody has limited to a store each, none has a name of its own.
        return (name: string | null) => ofKind.length === 1 || (name === one.name && namesakes.length === 1)
      }
      for (const one of ours) await cutBack(one, state, now, store)
      state.runs = withRun(state.runs, { at: now, bound })
      const sweeps: Sweep[] = []
      const failed: string[] = []
      for (const one of ours)
        try {
          sweeps.push(await sweep(one, bound, now, { ...tools, isOf: isOf(one) }))
          await save(state)
        } catch (error) {
          if (signal.aborted || !isAboutItem(error)) throw error
          failed.push(`${one.kind}: ${error.message}`)
        }
      if (looksBack && failed.length === 0) state.lookedBackAt = now
      const mended = await mendGaps(ours, now, {
        ...tools,
        take,
        knowsAll: isListed,
        sameClock: state.sameClock === true,
      })
      await moveWatermarks(ours, now, { store, state, isWanted: await wanted(), logger })
      const sum = (count: (one: Sweep) => number) => sweeps.reduce((total, one) => total + count(one), 0)
      const counts = [
        [sum(({ lacking }) => lacking), 'not here'],
        [sum(({ noted }) => noted), 'here though the platform says they failed'],
        [sum(({ unknown }) => unknown), 'not known to the platform'],
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
