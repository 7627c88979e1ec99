import { JOBS } from '../../config/jobs.ts'
import { CAUSES } from '../../domain/ledger/causes.ts'
import type { GapChange, KeptGap } from '../../domain/ledger/gap.ts'
import { lagOf } from '../../domain/ledger/lag.ts'
import { PLATFORM } from '../../domain/queue/event.ts'
import { counted } from '../../domain/values/counted.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Inbox } from '../../inbox/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { createRateLimiter, type Rate } from '../../lib/rate-limiter.ts'
import { type Mappings, NO_MAPPINGS } from '../../payloads/mapping/mapping.ts'
import type { EventQuery, Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import { allGaps } from '../../store/walk-pages.ts'
import type { HubJob } from '../engine/job.ts'
import { isAboutItem } from '../pulls/in-turn.ts'
import { createPayloads } from '../resend/payloads.ts'
import { createTake, type Take } from '../resend/take.ts'
import type { IsWanted } from '../subscriptions/decide.ts'
import { listOurs, type OursFound, type OwnSubscription, type WithoutList } from '../subscriptions/known.ts'
import { cutBack, type LedgerState, readLedgerState } from './ledger-state.ts'
import { moveWatermarks } from './move-watermarks.ts'
import { sizesAfter } from './read-window.ts'
import { SHARE, withRun } from './runs.ts'
import { type Sweep, sweep } from './sweep.ts'

/** Changes kept in one commit. */
const COMMIT = 100

/** Causes of gaps that are of one record, which can be had from the log. */
const TAKEN: readonly string[] = ['failed', 'claimed', 'unobtainable']

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
      if (!keyed) return { note: UNNAMED }
      const state = readLedgerState(left)
      using limit = rate && createRateLimiter({ perSecond: rate.perSecond * SHARE }, clock)
      const turn = async () => await limit?.turn({ last: false, signal })
      const sources = { platform, publicUrl, withoutList: options.withoutList }
      const found = await listOurs(sources, signal, Object.keys(state.swept).length > 0)
      const { aside, isListed } = found
      const bent = bentOf(found, state)
      // Where another stands in its place that was looked through before, its log is good for what is still missing alone.
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
      const bound = now - lagOf(state.latenesses)
      const { lookedBackAt } = state
      const looksBack = lookedBackAt === null || now - lookedBackAt >= DAY || lookedBackAt > now
      const sizes = sizesAfter(state.largest)
      const tools = { platform, store, mappings, looksBack, state, listedAt, sizes, turn, signal }
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

/** What is done where config names no header of event ids: the log names its records by nothing else. */
const UNNAMED =
  'the event log tells of events by their ids, and no header names these here: platform.webhooks.eventIdHeader (tillbridge doctor finds it)'

/** Subscriptions that were ours, and still stand under an address that is not: their logs tell of what went there. */
function bentOf({ ours, listed }: OursFound, { swept }: LedgerState): OwnSubscription[] {
  const ids = new Set(ours.map(({ webhookId }) => webhookId))
  return Object.entries(swept).flatMap(([webhookId, { kind, name, storeId = null, from }]) =>
    kind === null || from === null || ids.has(webhookId) || !listed.has(webhookId)
      ? []
      : [{ webhookId, kind, name, storeId }],
  )
}

interface Tools {
  platform: Pick<Platform, 'events'>
  store: Pick<Store, 'seen' | 'gaps' | 'saveLedger'>
  take: Take
  /** All subscriptions were read: one that is not among them is gone. */
  knowsAll: boolean
  /** The log is asked by its own clock, and for nothing besides. */
  sameClock: boolean
  logger: Logger
  turn(): Promise<void>
  signal: AbortSignal
}

/** How many gaps were mended: they had come, or were taken from the log. */
interface Mended {
  arrived: number
  taken: number
}

/**
 * Closes the open gaps of the log whose event is here by now, and takes the others from the log, oldest first. What failed
 * is left to `resend-failed` until the next run: the platform is to know that it was delivered.
 */
async function mendGaps(ours: readonly OwnSubscription[], now: Instant, tools: Tools): Promise<Mended> {
  const { platform, store, take, knowsAll, sameClock, logger, turn, signal } = tools
  const byId = new Map(ours.map((one) => [one.webhookId, one]))
  const mended: Mended = { arrived: 0, taken: 0 }
  const open = await openGaps()
  let changes: GapChange[] = []
  const payloads = new Map<string, ReturnType<typeof createPayloads>>()
  for (const gap of open) {
    signal.throwIfAborted()
    const isHere = (await store.seen(PLATFORM, [gap.subject])).size > 0
    if (isHere) {
      changes.push({ type: 'mend', key: gap.key, reason: 'it has come' })
      mended.arrived += 1
    } else if (gap.cause !== 'failed' || gap.firstSeenAt < now) await takeFrom(gap)
    if (changes.length >= COMMIT) await keep()
  }
  await keep()
  return mended

  async function keep(): Promise<void> {
    if (changes.length > 0) await store.saveLedger({ gaps: changes }, now)
    changes = []
  }

  async function openGaps(): Promise<KeptGap[]> {
    const all = (await allGaps(store, { state: 'open', road: 'log' })).filter(({ cause }) => TAKEN.includes(cause))
    // A later change of an order must not overtake an earlier one.
    return all.sort((a, b) => a.at - b.at)
  }

  async function takeFrom(gap: KeptGap): Promise<void> {
    const subscription = byId.get(String(gap.evidence.log?.webhookId))
    if (subscription === undefined) {
      if (knowsAll) lost(gap, 'its subscription is gone, and its log with it')
      return
    }
    const record = { webhookEventId: gap.subject, createdAt: gap.at }
    try {
      const payload = await payloadsOf(subscription)(record)
      const why = payload === undefined ? 'the log holds no payload of it' : await take(subscription, record, payload)
      if (why === null) {
        changes.push({ type: 'mend', key: gap.key, reason: 'taken from the log' })
        mended.taken += 1
        if (gap.cause === 'claimed')
          logger.error({ kind: gap.kind, eventId: gap.subject, means: CAUSES.claimed.words }, 'event.claimed')
      } else lost(gap, why)
    } catch (error) {
      signal.throwIfAborted()
      if (!isAboutItem(error)) throw error
      lost(gap, error.message)
    }
  }

  function lost(
    { key: _, id: __, firstSeenAt: ___, lastSeenAt: ____, state: _____, ended: ______, ...gap }: KeptGap,
    why: string,
  ) {
    changes.push({
      type: 'see',
      gap: { ...gap, cause: 'unobtainable', evidence: { log: { ...gap.evidence.log, why } } },
    })
  }

  function payloadsOf({ webhookId }: OwnSubscription): ReturnType<typeof createPayloads> {
    const known = payloads.get(webhookId)
    if (known !== undefined) return known
    const made = createPayloads(
      open.map(({ subject, at }) => ({ webhookEventId: subject, createdAt: at })),
      async (query: Omit<EventQuery, 'webhookId'>) => {
        await turn()
        return await platform.events.list({ webhookId, ...query, ...(sameClock && { sameClock }) }, signal)
      },
      {
        sameClock,
        alone: async (webhookEventId) => {
          await turn()
          return await platform.events.get({ webhookId, webhookEventId }, signal)
        },
      },
    )
    payloads.set(webhookId, made)
    return made
  }
}
