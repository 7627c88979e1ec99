import { z } from 'zod'
import { NEVER, type Watermark, watermarkChanges } from '../../domain/completeness/completeness.ts'
import { coveredUntil, mergeRanges, type Range } from '../../domain/completeness/covered.ts'
import { type GapChange, gapKey, isOlderThan, type StoredGap } from '../../domain/completeness/gap.ts'
import { ALLOWED_LATENESS } from '../../domain/completeness/horizon.ts'
import { StoreCount } from '../../domain/completeness/reconciled.ts'
import {
  isAllProven,
  missingGap,
  provenBy,
  type UnprovenDay,
  unlistedDays,
  unlistedGap,
  unlistedStretch,
  zonesOf,
} from '../../domain/completeness/source-record.ts'
import { POS_ORDER_CREATED } from '../../domain/orders/order.ts'
import { PULLED } from '../../domain/queue/event.ts'
import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { addDays, type Instant } from '../../domain/values/instant.ts'
import { toStoreLocal } from '../../domain/values/store-time.ts'
import { countTexts, pluralize, summed } from '../../domain/values/text.ts'
import type { Inbox } from '../../ingest/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import { chunksOf } from '../../lib/collections.ts'
import type { Logger } from '../../lib/logger.ts'
import { createRateLimiter, type Rate } from '../../lib/rate-limiter.ts'
import type { OperationName } from '../../platform/http/endpoints.ts'
import { daysOf } from '../../platform/odata/odata.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Storage } from '../../storage/storage.ts'
import { allGaps } from '../../storage/walk-pages.ts'
import type { HubJob } from '../engine/job.ts'
import { isAboutItem, openStores, todaysOf } from '../pulls/days.ts'
import { type AcceptOptions, acceptPayload } from '../pulls/ingest.ts'
import { listOurs, type OwnSources, type WithoutList } from '../subscriptions/decide.ts'
import {
  areStoredBySubject,
  BATCH,
  createPlaces,
  type DayRead,
  type ListedRecord,
  movementsList,
  type RecordList,
  settlementsList,
} from './list.ts'
import { type SaleColumns, salesList } from './sales.ts'
import { type ReconciledStorage, SHARE, saveGaps } from './scan.ts'

interface Options {
  platform: Pick<Platform, 'webhooks' | 'salesLines' | 'stockMovements' | 'settlements'>
  storage: ReconciledStorage & Pick<Storage, 'stores' | 'known' | 'mirrorPage' | 'formerPlaces' | 'bodies'>
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

/** Each listed sale, movement and settlement before a cut-off must be here by its business key, or is taken from its list. */
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
        salesList({ ...common, columns: saleColumns, ordersCome: subscribed.places(POS_ORDER_CREATED).length > 0 }),
        movementsList({ ...common, columns: movementColumns }),
        settlementsList(common),
      ].filter(({ kind }) => subscribed.places(kind).length > 0)
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
        const stood = stoodFrom(marks, kind) ?? now
        const from = Math.min(state.begins[kind] ?? stood, stood)
        state.begins[kind] = from
        begins.set(kind, from)
        const span = { from, to: now - ALLOWED_LATENESS }
        const places = subscribed.places(kind)
        const watched = (storeId: string | null) => places.includes(null) || places.includes(storeId)
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
  const { records, missing, accepted } = summed(compared, ['records', 'missing', 'accepted'])
  const counts = countTexts({ 'listed, and not here': missing, 'accepted from their lists': accepted })
  const not = Object.entries(cannotTell).map(([kind, why]) => `; of ${kind} they cannot tell: ${why}`)
  return `${pluralize(compared.length, 'kind')}: ${[pluralize(records, 'record'), ...counts].join(', ')}${not.join('')}`
}

/** Moves the watermarks of these kinds, and drops those of others. `begins`: by kind, since when events could come. */
export async function moveListMarks(
  begins: ReadonlyMap<string, Instant>,
  { storage, logger, now }: { storage: ReconciledStorage; logger: Logger; now: Instant },
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
  /** Stores of the subscriptions to a kind; null: all. */
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
    if (!isListed && rejected === 0 && byConfig !== undefined) return asConfigured(byConfig)
    const byKind = Map.groupBy(ours, ({ kind }) => kind)
    return { places: (kind) => [...new Set(byKind.get(kind)?.map(({ storeId }) => storeId))], rejected }
  } catch (error) {
    if (!(error instanceof PermanentError && NO_LIST.includes(error.code)) || byConfig === undefined) throw error
    return asConfigured(byConfig)
  }
}

const NO_LIST = ['http-404', 'no-subscription-ids']

function asConfigured(byConfig: 'all' | readonly string[]): Subscribed {
  return { places: (kind) => (byConfig === 'all' || byConfig.includes(kind) ? [null] : []), rejected: 0 }
}

/** Since when subscriptions to a kind cover all their stores; null: its log was not scanned. */
function stoodFrom(marks: readonly Watermark[], kind: string): Instant | null {
  const ofKind = marks.filter((one) => one.level === 'log' && one.kind === kind && one.until !== NEVER)
  const ofAll = ofKind.find(({ storeId }) => storeId === null)
  if (ofAll !== undefined) return ofAll.from
  return ofKind.length === 0 ? null : Math.max(...ofKind.map(({ from }) => from))
}

interface KindOptions {
  list: RecordList
  state: ListsState
  span: Range
  now: Instant
  zones: readonly string[]
  lastDay: string
  watched(storeId: string | null): boolean
  storage: Pick<Storage, 'gaps' | 'saveReconciliation' | 'covered' | 'known'>
  accept: AcceptListed
  turn(): Promise<void>
  save(state: ListsState): Promise<void>
  signal: AbortSignal
}

interface Compared {
  records: number
  missing: number
  accepted: number
  unproven: string[]
}

const READ = 'the list was read, and has what it should have'
const ACCEPTED = 'accepted from the list, once'
const HERE = 'it has come'
const RENAMED = 'it is listed under another number of its store'

/** Proven days that are read again: offline POS are late, and lines are voided. */
const OVERLAP = 2

/** Days whose counts are stored: the state of a job is read whole. */
const DAYS_COUNTED = 8

/** Days per run besides the newest; the next run goes on behind them. */
const MAX_DAYS = 31

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** So long a listed record waits for its webhook or the log, which say more (ms). */
const WAITS = DAY

const TOGETHER = 100

/** Compares days of one list, oldest first. An incomplete day covers nothing, and is a gap a day later. */
export async function reconcileKind(options: KindOptions): Promise<Compared> {
  const { list, state, span, now, zones, lastDay, watched, storage, accept, turn, save, signal } = options
  const { kind } = list
  const result: Compared = { records: 0, missing: 0, accepted: 0, unproven: [] }
  const whole: string[] = []
  let provenTo = span.to
  const { [kind]: rows = {} } = state.rows
  state.rows[kind] = rows
  const covered = await storage.covered('lists', kind)
  const proven = mergeRanges([...covered, ...(await explainedDays(kind, storage))])
  const until = coveredUntil(proven, span.from)
  const open = await allGaps(storage, { source: 'lists', state: 'open', kind })
  const unproven: UnprovenDay[] = []
  for (const day of daysToRead()) {
    signal.throwIfAborted()
    try {
      await turn()
      const read = await list.read(day, span.to, signal)
      const had = rows[day] ?? 0
      const isShort = read.rows < (list.voids ? had / 2 : had)
      const lacks = read.why ?? (isShort ? `the list has ${read.rows} rows, and had ${had}` : null)
      // Listed records exist, even if the list is incomplete.
      const { to: judgedTo, why } = await judge(day, read, lacks)
      result.records += read.records.length
      if (why === null) {
        provenTo = Math.min(provenTo, judgedTo)
        rows[day] = read.rows
        whole.push(day)
        state.counts[kind] = { ...state.counts[kind], [day]: read.counts ?? [] }
      } else unproven.push({ day, why })
      await save(state)
    } catch (error) {
      if (signal.aborted || !isAboutItem(error)) throw error
      unproven.push({ day, why: error.message })
    }
  }
  for (const { day, why } of unproven) result.unproven.push(`${kind} of ${day}: ${why}`)
  const ranges = provenBy(whole, zones, provenTo).map((range) => ({ source: 'lists' as const, scope: kind, ...range }))
  await storage.saveReconciliation({ covered: ranges, gaps: ofDays() }, now)
  const since = addDays(lastDay, -MAX_DAYS)
  const counted = Object.entries(state.counts[kind] ?? {}).filter(([day]) => day > addDays(lastDay, -DAYS_COUNTED))
  state.counts[kind] = Object.fromEntries(counted.filter(([day]) => day <= lastDay))
  // Days in the future were read by a clock that was ahead.
  state.rows[kind] = Object.fromEntries(Object.entries(rows).filter(([day]) => day >= since && day <= lastDay))
  return result

  function daysToRead(): string[] {
    const [first = lastDay] = zones.map((zone) => toStoreLocal(until, zone).slice(0, 10)).sort()
    const [beginning = first] = zones.map((zone) => toStoreLocal(span.from, zone).slice(0, 10)).sort()
    const again = addDays(first, -OVERLAP)
    const from = again < beginning ? beginning : again
    const days = from > lastDay ? [] : daysOf({ from, to: lastDay })
    const isNewest = (day: string) => day >= addDays(lastDay, -OVERLAP)
    const newest = days.filter(isNewest)
    const due = days.filter((day) => day < first || !isAllProven(day, zones, proven))
    const waiting = new Set([...open.flatMap(({ day }) => day ?? []), ...due])
    const older = [...waiting].filter((day) => !newest.includes(day)).sort()
    const { [kind]: last = '' } = state.readTo
    const next = [...older.filter((day) => day > last), ...older.filter((day) => day <= last)].slice(0, MAX_DAYS)
    state.readTo[kind] = next.at(-1) ?? ''
    return [...next.sort(), ...newest]
  }

  function ofDays(): GapChange[] {
    // What an operator has explained stays explained.
    const unexplained = unproven.filter(({ day }) => !isAllProven(day, zones, proven))
    const days = unlistedDays(unexplained, zones, now)
    const seen = days === null ? [] : [unlistedGap(kind, list.list, days, { zones, until })]
    const keys = new Set(seen.map(gapKey))
    const isRead = (day: string) =>
      whole.includes(day) || isAllProven(day, zones, proven) || (days !== null && day >= days.first && day <= days.last)
    const over = open.filter(
      ({ cause, key, day, evidence }) =>
        cause === 'not-looked-at' &&
        !keys.has(key) &&
        day !== null &&
        daysOf({ from: day, to: String(evidence.lists?.lastDay ?? day) }).every(isRead),
    )
    return [
      ...seen.map((gap) => ({ type: 'see' as const, gap })),
      ...over.map(({ key }) => ({ type: 'repair' as const, key, reason: READ })),
    ]
  }

  /** A missing record is a gap at once, and is taken from the list a day later. `to`: from then on nothing is proven. */
  async function judge(day: string, read: DayRead, lacks: string | null): Promise<{ to: Instant; why: string | null }> {
    const gaps = await gapsOf(new Set([day, ...read.records.map((record) => record.day)]))
    const lacking: ListedRecord[] = []
    const changes: GapChange[] = []
    const missed = new Set(gaps.keys())
    let to = span.to
    let why = lacks
    for (const some of chunksOf(read.records, BATCH)) {
      for (const { subject } of some) missed.delete(subject)
      const asked = some.filter((one) => mayBeOurs(one) && one.latest >= span.from && one.earliest < span.to)
      const here = await list.areStored(asked)
      for (const [nth, record] of asked.entries()) {
        const gap = gaps.get(record.subject)
        if (here[nth] !== true) {
          if (isYoung(record)) to = Math.min(to, record.earliest)
          else if (!isOurs(record)) why ??= 'a record may be of a store whose events come, or of another'
          else lacking.push(record)
        } else if (gap?.state === 'open') changes.push({ type: 'repair', key: gap.key, reason: HERE })
      }
    }
    // A list that shows less closes no gap.
    const unlisted = [...gaps.values()].filter(({ state, subject }) => state === 'open' && missed.has(subject))
    const have = await areStoredBySubject(storage, kind, unlisted)
    for (const [nth, { key, subject, storeId, at }] of unlisted.entries()) {
      // Its store has another number since.
      const same = read.records.filter((one) => one.storeId === storeId && one.earliest === at)
      const isRenamed = same.length > 0 && (await list.otherSubjects?.(same))?.includes(subject) === true
      if (have[nth] === true || isRenamed) changes.push({ type: 'repair', key, reason: isRenamed ? RENAMED : HERE })
    }
    const taken = await takenOrMissing(day, lacking, gaps, lacks === null)
    await saveGaps(storage, [...changes, ...taken], now)
    const accepted = taken.filter(({ type }) => type === 'repair').length
    result.accepted += accepted
    result.missing += taken.length - accepted
    return { to, why }
  }

  /** True if events of its store come, or of each store that shares its stock or number. */
  function isOurs({ storeId, mayBeOf = [] }: ListedRecord): boolean {
    return watched(storeId) || (mayBeOf.length > 0 && mayBeOf.every(watched))
  }

  function mayBeOurs(record: ListedRecord): boolean {
    return isOurs(record) || (record.mayBeOf?.some(watched) ?? false)
  }

  /** Possibly after the cut-off; but not if it is of the hour that comes twice, and proven already. */
  function isYoung({ earliest, latest }: ListedRecord): boolean {
    return latest >= span.to && !(earliest < until && latest - earliest <= HOUR)
  }

  /** By subject. */
  async function gapsOf(days: Iterable<string>): Promise<Map<string, StoredGap>> {
    const gaps = new Map<string, StoredGap>()
    for (const day of days)
      for (const gap of await allGaps(storage, { source: 'lists', kind, day }))
        if (gap.cause !== 'not-looked-at') gaps.set(gap.subject, gap)
    return gaps
  }

  /** Oldest first. */
  async function takenOrMissing(
    day: string,
    lacking: readonly ListedRecord[],
    gaps: ReadonlyMap<string, StoredGap>,
    isWhole: boolean,
  ): Promise<GapChange[]> {
    const isDue = ({ subject, lacks }: ListedRecord) => {
      const gap = gaps.get(subject)
      return lacks === null && isWhole && gap?.state === 'open' && isOlderThan(gap, WAITS, now)
    }
    const due = new Set(lacking.filter(isDue).map(({ subject }) => subject))
    const payloads = due.size === 0 ? new Map<string, object>() : await list.payloads(day, due, signal)
    const changeOf = async (record: ListedRecord): Promise<GapChange> => {
      const seen = { ...missingGap(kind, list.list, record), day }
      const gap = gaps.get(record.subject)
      const payload = payloads.get(record.subject)
      if (gap === undefined || payload === undefined) return { type: 'see', gap: seen }
      const done = await accept(kind, payload)
      if ('reason' in done) return { type: 'repair', key: gap.key, reason: done.reason }
      return { type: 'see', gap: { ...seen, evidence: { lists: { ...seen.evidence.lists, why: done.why } } } }
    }
    const changes: GapChange[] = []
    const oldestFirst = lacking.toSorted((a, b) => a.earliest - b.earliest)
    for (const some of chunksOf(oldestFirst, TOGETHER)) {
      signal.throwIfAborted()
      changes.push(...(await Promise.all(some.map(changeOf))))
    }
    return changes
  }
}

async function explainedDays(kind: string, storage: Pick<Storage, 'gaps'>): Promise<Range[]> {
  const explained = await allGaps(storage, { source: 'lists', cause: 'not-looked-at', kind, state: 'explained' })
  return explained.flatMap((gap) => unlistedStretch(gap) ?? [])
}

/** `why`: it was not taken. */
type AcceptListed = (kind: string, payload: object) => Promise<{ reason: string } | { why: string }>

/** Under the same business key as the webhook: whichever comes later is a duplicate. */
export function createAcceptListed(options: AcceptOptions): AcceptListed {
  return async (kind, payload) => {
    const { status, id } = await acceptPayload(options, { kind, subscription: PULLED, transportKey: null, payload })
    if (status === 'duplicate') return { reason: HERE }
    if (status === 'accepted') return { reason: ACCEPTED }
    return { why: `event ${id} is ${status === 'conflict' ? 'in conflict with another' : 'in quarantine'}` }
  }
}

type ListsState = z.output<typeof State>

const State = z.object({
  /** By kind: since when a subscription stands. */
  begins: z.record(z.string(), z.number()),
  /** By kind: why its list proves nothing. */
  cannotTell: z.record(z.string(), z.string()).default({}),
  rows: z.record(z.string(), z.record(z.string(), z.number())).default({}),
  /** By kind: the last older day that was read. */
  readTo: z.record(z.string(), z.string()).default({}),
  /** By kind: stores of its subscriptions at the last run; null: all. */
  places: z.record(z.string(), z.array(z.string().nullable())).default({}),
  /** By kind and day. */
  counts: z.record(z.string(), z.record(z.string(), z.array(StoreCount))).default({}),
})

export function readListsState(state: unknown): ListsState {
  return State.safeParse(state).data ?? State.parse({ begins: {} })
}

const DAYS_AGAIN = 31

/** Uncovers time in the future: the clock was ahead when it was written. */
async function removeFutureListCoverage(
  kind: string,
  { begins }: ListsState,
  now: Instant,
  storage: Pick<Storage, 'covered' | 'saveReconciliation'>,
): Promise<void> {
  const end = (await storage.covered('lists', kind)).at(-1)?.to ?? now
  if (end <= now) return
  const from = Math.min(Math.max(begins[kind] ?? now, now - DAYS_AGAIN * DAY), now)
  await storage.saveReconciliation({ uncovered: [{ source: 'lists', scope: kind, from }] }, now)
}

/** Uncovers the time in which a store, subscribed again, was not. The log's watermark stands where its subscription was lost. */
async function cutUnwatched(
  kind: string,
  places: readonly (string | null)[],
  { state, marks, now, storage }: Pick<KindOptions, 'state' | 'now' | 'storage'> & { marks: readonly Watermark[] },
): Promise<void> {
  const before = state.places[kind] ?? places
  const again = before.includes(null) ? [] : places.filter((place) => !before.includes(place))
  const ends = marks
    .filter((mark) => mark.level === 'log' && mark.kind === kind && mark.until !== NEVER)
    .flatMap(({ storeId, until }) => (again.includes(storeId) ? until : []))
  if (ends.length > 0)
    await storage.saveReconciliation({ uncovered: [{ source: 'lists', scope: kind, from: Math.min(...ends) }] }, now)
  state.places[kind] = [...places]
}
