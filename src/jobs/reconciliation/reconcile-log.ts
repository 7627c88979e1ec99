import {
  type KindProof,
  NEVER,
  provenUntil,
  type WatermarkChange,
  watermarkChanges,
} from '../../domain/completeness/completeness.ts'
import { addRange, covers, intersectRanges, mergeRanges, type Range } from '../../domain/completeness/covered.ts'
import { CAUSES, type GapChange, PROVEN_BY_LISTS, rangeOf, type StoredGap } from '../../domain/completeness/gap.ts'
import { ALLOWED_LATENESS } from '../../domain/completeness/horizon.ts'
import { PLATFORM } from '../../domain/queue/event.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { countTexts, pluralize, summed } from '../../domain/values/text.ts'
import type { Inbox } from '../../ingest/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import { chunksOf } from '../../lib/collections.ts'
import type { Logger } from '../../lib/logger.ts'
import { createRateLimiter, type Rate } from '../../lib/rate-limiter.ts'
import { type Mappings, NO_MAPPINGS } from '../../platform/payloads/mapping/mapping.ts'
import type { EventQuery, Platform } from '../../platform/platform.ts'
import type { Storage } from '../../storage/storage.ts'
import { allGaps } from '../../storage/walk-pages.ts'
import type { HubJob } from '../engine/job.ts'
import { isAboutItem } from '../pulls/days.ts'
import {
  type IsWanted,
  listOurs,
  type OwnSubscription,
  type OwnSubscriptionList,
  type WithoutList,
} from '../subscriptions/decide.ts'
import { createLogIngest, createPayloads, type IngestLogEvent, sizesAfter } from './event-log.ts'
import {
  type LogState,
  type ReconciledStorage,
  readLogState,
  removeFutureCoverage,
  type Scan,
  SHARE,
  scan,
} from './scan.ts'

interface Options {
  platform: Pick<Platform, 'webhooks' | 'events'>
  storage: ReconciledStorage & Pick<Storage, 'seen' | 'known'>
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

/** Every log record of every own subscription must be here by its event id, or is a gap that is repaired; then watermarks move. */
export function reconcileLogJob(options: Options): HubJob {
  const { platform, storage, inbox, publicUrl, keyed, rate, clock, logger } = options
  const { wanted = async () => () => true, mappings = NO_MAPPINGS } = options
  const take = createLogIngest({ inbox, clock, logger })
  return {
    name: 'reconcile-log',
    async run({ now, signal, state: left, save }) {
      if (!keyed) return { note: UNNAMED }
      const state = readLogState(left)
      using limit = rate && createRateLimiter({ perSecond: rate.perSecond * SHARE }, clock)
      const turn = async () => await limit?.turn({ last: false, signal })
      const sources = { platform, publicUrl, withoutList: options.withoutList }
      const found = await listOurs(sources, signal, Object.keys(state.scanned).length > 0)
      const { rejected, isListed } = found
      const bent = redirectedSubscriptions(found, state)
      // Replaced by a scanned subscription: its log is read for open gaps only.
      const isReplaced = ({ kind, storeId }: OwnSubscription) =>
        found.ours.some(
          (one) =>
            one.kind === kind &&
            (one.storeId === null || one.storeId === storeId) &&
            (state.scanned[one.webhookId]?.from ?? null) !== null,
        )
      const replaced = bent.filter(isReplaced)
      const ours = [...found.ours, ...bent.filter((one) => !replaced.includes(one))]
      const listedAt = clock.now()
      const bound = now - ALLOWED_LATENESS
      const { lookedBackAt } = state
      const looksBack = lookedBackAt === null || now - lookedBackAt >= DAY || lookedBackAt > now
      const sizes = sizesAfter(state.largest)
      const tools = { platform, storage, mappings, looksBack, state, listedAt, sizes, turn, signal }
      for (const one of ours) await removeFutureCoverage(one, state, now, storage)
      const scans: Scan[] = []
      const failed: string[] = []
      for (const one of ours)
        try {
          scans.push(await scan(one, bound, now, tools))
          state.largest = Math.max(state.largest, sizes.largest)
          await save(state)
        } catch (error) {
          if (signal.aborted || !isAboutItem(error)) throw error
          failed.push(`${one.kind}: ${error.message}`)
        }
      if (looksBack && failed.length === 0) state.lookedBackAt = now
      const repaired = await repairGaps([...ours, ...replaced], now, {
        ...{ platform, storage, logger, turn, signal },
        take,
        knowsAll: isListed,
        sameClock: state.sameClock === true,
      })
      await moveWatermarks(ours, now, { storage, state, isWanted: await wanted(), logger })
      const missing = replaced.length === 0 ? [] : await allGaps(storage, { source: 'log', state: 'open' })
      for (const { webhookId } of replaced)
        if (missing.every(({ evidence }) => evidence.log?.webhookId !== webhookId)) delete state.scanned[webhookId]
      const sums = summed(scans, ['records', 'lacking', 'noted', 'rejected'])
      const note = [
        pluralize(ours.length, 'subscription'),
        pluralize(sums.records, 'record'),
        ...countTexts({
          'not here': sums.lacking,
          'here though the platform says they failed': sums.noted,
          'have come': repaired.arrived,
          'taken from the log': repaired.taken,
          'rejected rows': sums.rejected + rejected,
        }),
        ...(state.ahead !== null && state.ahead.by > 0 ? [`its clock ${state.ahead.by / MINUTE} minutes ahead`] : []),
      ].join(', ')
      const outage = [...failed, ...scans.flatMap(({ unproven }) => unproven)]
      if (outage.length === 0) return { state, note }
      await save(state)
      throw new RetryLaterError(`${outage.slice(0, 3).join('; ')}. Done: ${note}`, { code: 'log-incomplete' })
    },
  }
}

const UNNAMED =
  'the event log tells of events by their ids, and no header names these here: platform.webhooks.eventIdHeader (tillbridge doctor finds it)'

/** Own subscriptions whose address was changed by others: their logs have what went elsewhere. */
function redirectedSubscriptions({ ours, listed }: OwnSubscriptionList, { scanned }: LogState): OwnSubscription[] {
  const ids = new Set(ours.map(({ webhookId }) => webhookId))
  return Object.entries(scanned).flatMap(([webhookId, { kind, name, storeId = null, from }]) =>
    kind === null || from === null || ids.has(webhookId) || !listed.has(webhookId)
      ? []
      : [{ webhookId, kind, name, storeId }],
  )
}

interface Tools {
  platform: Pick<Platform, 'events'>
  storage: Pick<Storage, 'seen' | 'gaps' | 'saveReconciliation'>
  take: IngestLogEvent
  knowsAll: boolean
  sameClock: boolean
  logger: Logger
  turn(): Promise<void>
  signal: AbortSignal
}

const COMMIT = 100

/** Causes of gaps of single records, which the log can give. */
const TAKEN: readonly string[] = ['failed', 'claimed', 'unobtainable']

/** Closes gaps whose event has come, and takes others from the log, oldest first; failed ones are left to `resend-failed` once. */
async function repairGaps(ours: readonly OwnSubscription[], now: Instant, tools: Tools) {
  const { platform, storage, take, knowsAll, sameClock, logger, turn, signal } = tools
  const byId = new Map(ours.map((one) => [one.webhookId, one]))
  const repaired = { arrived: 0, taken: 0 }
  const all = await allGaps(storage, { state: 'open', source: 'log' })
  // A later change of an order must not overtake an earlier one.
  const open = all.filter(({ cause }) => TAKEN.includes(cause)).sort((a, b) => a.at - b.at)
  const payloads = new Map<string, ReturnType<typeof createPayloads>>()
  for (const some of chunksOf(open, COMMIT)) {
    signal.throwIfAborted()
    const ids = some.map(({ subject }) => subject)
    const seen = await storage.seen(PLATFORM, ids)
    const gaps: GapChange[] = []
    for (const gap of some) {
      signal.throwIfAborted()
      if (seen.has(gap.subject)) {
        gaps.push({ type: 'repair', key: gap.key, reason: 'it has come' })
        repaired.arrived += 1
      } else if (gap.cause !== 'failed' || gap.firstSeenAt < now) gaps.push(...(await takeFrom(gap)))
    }
    if (gaps.length > 0) await storage.saveReconciliation({ gaps }, now)
  }
  return repaired

  async function takeFrom(gap: StoredGap): Promise<GapChange[]> {
    const subscription = byId.get(String(gap.evidence.log?.webhookId))
    if (subscription === undefined) return knowsAll ? [lost(gap, 'its subscription is gone, and its log with it')] : []
    const record = { webhookEventId: gap.subject, createdAt: gap.at }
    try {
      const payload = await payloadsOf(subscription)(record)
      const why = payload === undefined ? 'the log holds no payload of it' : await take(subscription, record, payload)
      if (why !== null) return [lost(gap, why)]
      repaired.taken += 1
      if (gap.cause === 'claimed')
        logger.error({ kind: gap.kind, eventId: gap.subject, means: CAUSES.claimed.words }, 'event.claimed')
      return [{ type: 'repair', key: gap.key, reason: 'taken from the log' }]
    } catch (error) {
      signal.throwIfAborted()
      if (!isAboutItem(error)) throw error
      return [lost(gap, error.message)]
    }
  }

  function lost({ source, kind, storeId, destination, day, subject, at, evidence }: StoredGap, why: string): GapChange {
    const log = { ...evidence.log, why }
    const of = { source, kind, storeId, destination, day, subject, at }
    return { type: 'see', gap: { ...of, cause: 'unobtainable', evidence: { log } } }
  }

  function payloadsOf({ webhookId }: OwnSubscription): ReturnType<typeof createPayloads> {
    const known = payloads.get(webhookId)
    if (known !== undefined) return known
    const wanted = open.map(({ subject, at }) => ({ webhookEventId: subject, createdAt: at }))
    const list = async (query: Omit<EventQuery, 'webhookId'>) => {
      await turn()
      return await platform.events.list({ webhookId, ...query, ...(sameClock && { sameClock }) }, signal)
    }
    const alone = async (webhookEventId: string) => {
      await turn()
      return await platform.events.get({ webhookId, webhookEventId }, signal)
    }
    const made = createPayloads(wanted, list, { sameClock, alone })
    payloads.set(webhookId, made)
    return made
  }
}

interface MarkTools {
  storage: ReconciledStorage
  state: LogState
  /** `storeId` null: for all stores. */
  isWanted(kind: string, storeId: string | null): boolean
  logger: Logger
}

const EVER = Number.MIN_SAFE_INTEGER

/** Moves the watermarks of the log for each kind, and each store with a subscription or open gap of its own. */
async function moveWatermarks(ours: readonly OwnSubscription[], now: Instant, tools: MarkTools): Promise<void> {
  const { storage, state, isWanted, logger } = tools
  const before = await storage.watermarks()
  const gaps: GapChange[] = []
  const unswept: WatermarkChange[] = []
  const proofs: Omit<KindProof, 'level'>[] = []
  const groups = Map.groupBy(ours, ({ kind, storeId }) => JSON.stringify([kind, storeId]))
  for (const group of groups.values()) {
    const [first] = group
    if (first !== undefined) await prove(first, group)
  }
  if (gaps.length > 0) await storage.saveReconciliation({ gaps }, now)
  const oldest = await storage.oldestGaps('log')
  const watermarks = proofs.flatMap((proof) => {
    const isIsolated = (storeId: string) => groups.has(JSON.stringify([proof.kind, storeId]))
    const ahead = state.ahead?.by ?? 0
    const { changes, wentBack } = watermarkChanges(
      { level: 'log', ...proof },
      { marks: before, oldest, now, ahead, isIsolated },
    )
    for (const { level: _, ...back } of wentBack) logger.error(back, 'watermark.went-back')
    return changes
  })
  await storage.saveReconciliation({ watermarks: [...unswept, ...watermarks, ...left()] }, now)

  async function prove({ kind, storeId }: OwnSubscription, group: readonly OwnSubscription[]): Promise<void> {
    const mark = before.find((one) => one.level === 'log' && one.kind === kind && one.storeId === storeId)
    const scanned = group.flatMap(({ webhookId }) => {
      const from = standsFrom(webhookId)
      return from === null ? [] : [{ webhookId, from }]
    })
    if (scanned.length === 0) {
      const never = { level: 'log', kind, storeId, from: NEVER, until: NEVER, since: now } as const
      if (mark === undefined) unswept.push({ type: 'put', watermark: never })
      return
    }
    const begins = Math.min(...scanned.map(({ from }) => from))
    const scope = `${kind}/${storeId ?? ''}`
    let all: Range[] = [{ from: begins, to: now }]
    // A subscription says nothing of the time before it was made.
    for (const { webhookId, from } of scanned)
      all = intersectRanges(all, addRange(await storage.covered('log', webhookId), { from: EVER, to: from }))
    const covered = mergeRanges([...(await storage.covered('log', scope)), ...all])
    await storage.saveReconciliation({ covered: all.map((range) => ({ source: 'log', scope, ...range })) }, now)
    // A mark that begins in the future was written by a clock that was ahead.
    const from = mark === undefined || mark.until <= mark.from || mark.from > now ? begins : mark.from
    const unread = await allGaps(storage, { source: 'log', cause: 'not-looked-at', kind })
    // Of one store, it says nothing of others.
    const here = unread.filter((gap) => gap.storeId === null || gap.storeId === storeId)
    const byLists = await provenByLists(kind, here, storage)
    gaps.push(...byLists.changes)
    // An operator may have explained unproven time.
    const explained = here.filter((gap) => gap.state === 'explained').flatMap((gap) => rangeOf(gap) ?? [])
    const proof = { kind, storeId, from, covered, excused: [...explained, ...byLists.ranges] }
    proofs.push(proof)
    const until = provenUntil({ ...proof, oldestGap: null })
    const isLate = until < now - DAY && state.hasShown
    const next = covered.find((range) => range.from > until) ?? (isLate ? { from: now - DAY } : undefined)
    for (const { at, key, ...gap } of here)
      if (gap.state === 'open' && gap.storeId === storeId && at < until)
        gaps.push({ type: 'repair', key, reason: 'the log was read' })
    if (next === undefined) return
    // The log is asked again until it has expired.
    const isAskedAgain = begins <= until
    const end = isAskedAgain ? next.from : Math.min(next.from, begins)
    const where = { source: 'log', kind, storeId, destination: null, day: null } as const
    const isExpired = scanned.some(({ webhookId }) => {
      const its = state.scanned[webhookId]
      return its?.expired === true && its.from === begins
    })
    const why = isAskedAgain ? 'the log could not be read' : isExpired ? 'the log was gone' : 'no subscription stood'
    const evidence = { log: { from: until, to: end, why } }
    const cause = 'not-looked-at'
    gaps.push({ type: 'see', gap: { ...where, cause, subject: `${scope}/${until}`, at: until, evidence } })
  }

  /** Marks that nothing moves any more: no subscription, and none wanted; or never scanned. */
  function left(): WatermarkChange[] {
    const isOurs = (kind: string, storeId: string | null) => groups.has(JSON.stringify([kind, storeId]))
    return (
      before
        .filter(({ level, kind, storeId }) => level === 'log' && !isOurs(kind, storeId))
        // A store that only its own gap holds back moves with its kind.
        .filter(({ kind, storeId, until }) => until === NEVER || !(isWanted(kind, storeId) || isOurs(kind, null)))
        .map(({ level, kind, storeId }) => ({ type: 'drop', level, kind, storeId }))
    )
  }

  /** Since when a subscription covers all its stores. Null: never scanned. */
  function standsFrom(webhookId: string): Instant | null {
    const { from, widenedAt } = state.scanned[webhookId] ?? { from: null, widenedAt: null }
    return from === null ? null : Math.max(from, widenedAt ?? from)
  }
}

/** Unproven time of a kind that its lists prove from end to end. Its open gaps are closed. */
async function provenByLists(
  kind: string,
  unread: readonly StoredGap[],
  storage: Pick<Storage, 'covered' | 'oldestGaps'>,
): Promise<{ ranges: Range[]; changes: GapChange[] }> {
  const covered = await storage.covered('lists', kind)
  if (covered.length === 0) return { ranges: [], changes: [] }
  const open = (await storage.oldestGaps('lists')).filter((gap) => gap.kind === null || gap.kind === kind)
  const end = Math.min(...open.map(({ at }) => at), Number.MAX_SAFE_INTEGER)
  const proven = intersectRanges(covered, [{ from: EVER, to: end }])
  const ranges: Range[] = []
  const changes: GapChange[] = []
  for (const gap of unread) {
    const stretch = gap.state === 'explained' ? null : rangeOf(gap)
    if (stretch === null || !covers(proven, stretch)) continue
    ranges.push(stretch)
    if (gap.state === 'open') changes.push({ type: 'repair', key: gap.key, reason: PROVEN_BY_LISTS })
  }
  return { ranges, changes }
}
