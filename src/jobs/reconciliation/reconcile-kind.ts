import { z } from 'zod'
import { coveredUntil, mergeRanges, type Range } from '../../domain/completeness/covered.ts'
import { type GapChange, gapKey, isOlderThan, type StoredGap } from '../../domain/completeness/gap.ts'
import { StoreCount } from '../../domain/completeness/reconciled.ts'
import {
  isAllProven,
  missingGap,
  provenBy,
  type UnprovenDay,
  unlistedDays,
  unlistedGap,
  unlistedStretch,
} from '../../domain/completeness/source-record.ts'
import { NEVER, type Watermark } from '../../domain/completeness/watermark.ts'
import { PULLED } from '../../domain/queue/event.ts'
import { addDays, type Instant } from '../../domain/values/instant.ts'
import { toStoreLocal } from '../../domain/values/store-time.ts'
import { chunksOf } from '../../lib/collections.ts'
import { daysOf } from '../../platform/odata/odata.ts'
import type { Storage } from '../../storage/storage.ts'
import { allGaps } from '../../storage/walk-pages.ts'
import { isAboutItem } from '../pulls/days.ts'
import { type AcceptOptions, acceptPayload } from '../pulls/ingest.ts'
import { BATCH, type DayRead, type ListedRecord, type RecordList } from './list.ts'
import { saveGaps } from './save-gaps.ts'

interface Options {
  list: RecordList
  state: ListsState
  span: Range
  now: Instant
  zones: readonly string[]
  lastDay: string
  watched(storeId: string | null): boolean
  storage: Pick<Storage, 'gaps' | 'saveReconciliation' | 'covered'>
  accept: AcceptListed
  turn(): Promise<void>
  save(state: ListsState): Promise<void>
  signal: AbortSignal
}

export interface Compared {
  kind: string
  records: number
  missing: number
  accepted: number
  unproven: string[]
}

const READ = 'the list was read, and has what it should have'

/** Proven days that are read again: offline POS are late, and lines are voided. */
const OVERLAP = 2

/** Days whose counts are stored: the state of a job is read whole. */
const DAYS_COUNTED = 8

/** Days per run besides the newest, oldest first. */
const MAX_DAYS = 31

/**
 * Compares the days of one list up to a cut-off, oldest first. An incomplete day covers nothing, and is a gap a day later; days with open
 * gaps are read again.
 */
export async function reconcileKind(options: Options): Promise<Compared> {
  const { list, state, span, zones, lastDay, storage, turn, save, signal } = options
  const { kind } = list
  const result: Compared = { kind, records: 0, missing: 0, accepted: 0, unproven: [] }
  const whole: string[] = []
  let provenTo = span.to
  const { [kind]: rows = {} } = state.rows
  Object.assign(state.rows, { [kind]: rows })
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
      const why = read.why ?? (isShort ? `the list has ${read.rows} rows, and had ${had}` : null)
      // Listed records exist, even if the list is incomplete.
      const judged = await judgeDay({ ...options, until, day, read, isWhole: why === null })
      result.missing += judged.missing
      result.accepted += judged.accepted
      result.records += read.records.length
      if (why === null) {
        provenTo = Math.min(provenTo, judged.provenTo)
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
  const now = provenBy(whole, zones, provenTo).map((range) => ({ source: 'lists' as const, scope: kind, ...range }))
  await storage.saveReconciliation({ covered: now, gaps: ofDays() }, options.now)
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
    const isDue = (day: string) => day < first || day >= addDays(lastDay, -OVERLAP) || !isAllProven(day, zones, proven)
    const due = days.filter(isDue)
    const next = due.filter((day, nth) => nth < MAX_DAYS || day >= addDays(lastDay, -OVERLAP))
    const more = [...new Set(open.flatMap(({ day }) => day ?? []))].filter((day) => !next.includes(day)).sort()
    return [...more.slice(0, MAX_DAYS), ...next]
  }

  function ofDays(): GapChange[] {
    // What an operator has explained stays explained.
    const isOpen = ({ day }: UnprovenDay) => !isAllProven(day, zones, proven)
    const days = unlistedDays(unproven.filter(isOpen), zones, options.now)
    const seen = days === null ? [] : [unlistedGap(kind, list.list, days, { zones, until })]
    const keys = new Set(seen.map(gapKey))
    const isOver = ({ cause, key }: StoredGap) => cause === 'not-looked-at' && !keys.has(key)
    return [
      ...seen.map((gap) => ({ type: 'see' as const, gap })),
      ...open.filter(isOver).map(({ key }) => ({ type: 'repair' as const, key, reason: READ })),
    ]
  }
}

export async function explainedDays(kind: string, storage: Pick<Storage, 'gaps'>): Promise<Range[]> {
  const explained = await allGaps(storage, { source: 'lists', cause: 'not-looked-at', kind, state: 'explained' })
  return explained.flatMap((gap) => unlistedStretch(gap) ?? [])
}

/** `why`: it was not taken. */
export type AcceptListed = (kind: string, payload: object) => Promise<{ reason: string } | { why: string }>

/** Under the same business key as the webhook: whichever comes later is a duplicate. */
export function createAcceptListed(options: AcceptOptions): AcceptListed {
  return async (kind, payload) => {
    const { status, id } = await acceptPayload(options, { kind, subscription: PULLED, transportKey: null, payload })
    if (status === 'duplicate') return { reason: HERE }
    if (status === 'accepted') return { reason: ACCEPTED }
    return { why: `event ${id} is ${status === 'conflict' ? 'in conflict with another' : 'in quarantine'}` }
  }
}

const ACCEPTED = 'accepted from the list, once'
const HERE = 'it has come'
const GONE = 'the list does not tell of it any more'

/** So long a listed record waits for its webhook or the log, which say more (ms). */
const WAITS = 86_400_000

const HOUR = 3_600_000

const TOGETHER = 100

interface DayOptions {
  list: RecordList
  day: string
  read: DayRead
  isWhole: boolean
  span: Range
  /** End of the proof so far. */
  until: Instant
  now: Instant
  watched(storeId: string | null): boolean
  storage: Pick<Storage, 'gaps' | 'saveReconciliation'>
  accept: AcceptListed
  signal: AbortSignal
}

interface DayJudged {
  missing: number
  accepted: number
  /** Nothing is proven from here on. */
  provenTo: Instant
}

/** A missing record is a gap at once, and is taken from the list a day later. One that is not listed any more was voided. */
async function judgeDay(options: DayOptions): Promise<DayJudged> {
  const { list, day, read, isWhole, span, until, watched, now, storage } = options
  const gaps = await gapsOf(new Set([day, ...read.records.map((record) => record.day)]), options)
  const lacking: ListedRecord[] = []
  const changes: GapChange[] = []
  const missed = new Set(gaps.keys())
  let provenTo = span.to
  for (const some of chunksOf(read.records, BATCH)) {
    for (const { subject } of some) missed.delete(subject)
    const asked = some.filter((one) => isOurs(one, watched) && one.latest >= span.from && one.earliest < span.to)
    const here = await list.areStored(asked)
    for (const [nth, record] of asked.entries()) {
      const gap = gaps.get(record.subject)
      if (here[nth] !== true) {
        if (isYoung(record)) provenTo = Math.min(provenTo, record.earliest)
        else lacking.push(record)
      } else if (gap?.state === 'open') changes.push({ type: 'repair', key: gap.key, reason: HERE })
    }
  }
  if (isWhole && list.voids)
    for (const gap of gaps.values())
      if (gap.day === day && gap.state === 'open' && missed.has(gap.subject))
        changes.push({ type: 'repair', key: gap.key, reason: GONE })
  const taken = await takenOrMissing(lacking, gaps, options)
  await saveGaps(storage, [...changes, ...taken], now)
  const accepted = taken.filter(({ type }) => type === 'repair').length
  return { missing: taken.length - accepted, accepted, provenTo }

  /** Possibly after the cut-off; but not if it is of the hour that comes twice, and proven already. */
  function isYoung({ earliest, latest }: ListedRecord): boolean {
    return latest >= span.to && !(earliest < until && latest - earliest <= HOUR)
  }
}

/** True if events of its store come, or of each store that shares its stock. */
function isOurs({ storeId, mayBeOf = [] }: ListedRecord, watched: DayOptions['watched']): boolean {
  return watched(storeId) || (mayBeOf.length > 0 && mayBeOf.every(watched))
}

/** By subject. */
async function gapsOf(
  days: Iterable<string>,
  { list: { kind }, storage }: DayOptions,
): Promise<Map<string, StoredGap>> {
  const gaps = new Map<string, StoredGap>()
  for (const day of days)
    for (const gap of await allGaps(storage, { source: 'lists', kind, day }))
      if (gap.cause !== 'not-looked-at') gaps.set(gap.subject, gap)
  return gaps
}

/** Oldest first. */
async function takenOrMissing(
  lacking: readonly ListedRecord[],
  gaps: ReadonlyMap<string, StoredGap>,
  { list, day, isWhole, now, accept, signal }: DayOptions,
): Promise<GapChange[]> {
  const isDue = ({ subject, lacks }: ListedRecord) => {
    const gap = gaps.get(subject)
    return lacks === null && isWhole && gap?.state === 'open' && isOlderThan(gap, WAITS, now)
  }
  const due = new Set(lacking.filter(isDue).map(({ subject }) => subject))
  const payloads = due.size === 0 ? new Map<string, object>() : await list.payloads(day, due, signal)
  const oldestFirst = lacking.toSorted((a, b) => a.earliest - b.earliest)
  const changes: GapChange[] = []
  for (const some of chunksOf(oldestFirst, TOGETHER)) {
    signal.throwIfAborted()
    changes.push(...(await Promise.all(some.map(changeOf))))
  }
  return changes

  async function changeOf(record: ListedRecord): Promise<GapChange> {
    const seen = { ...missingGap(list.kind, list.list, record), day }
    const gap = gaps.get(record.subject)
    const payload = payloads.get(record.subject)
    if (gap === undefined || payload === undefined) return { type: 'see', gap: seen }
    const done = await accept(list.kind, payload)
    if ('reason' in done) return { type: 'repair', key: gap.key, reason: done.reason }
    return { type: 'see', gap: { ...seen, evidence: { lists: { ...seen.evidence.lists, why: done.why } } } }
  }
}

export type ListsState = z.output<typeof State>

const State = z.object({
  /** By kind: since when a subscription stands. */
  begins: z.record(z.string(), z.number()),
  /** By kind: why its list proves nothing. */
  cannotTell: z.record(z.string(), z.string()).default({}),
  rows: z.record(z.string(), z.record(z.string(), z.number())).default({}),
  /** By kind: stores of its subscriptions at the last run; null: all. */
  places: z.record(z.string(), z.array(z.string().nullable())).default({}),
  /** By kind and day. */
  counts: z.record(z.string(), z.record(z.string(), z.array(StoreCount))).default({}),
})

export function readListsState(state: unknown): ListsState {
  return State.safeParse(state).data ?? State.parse({ begins: {} })
}

/** Changes the state to the earlier of both. */
export function beginAt(state: ListsState, kind: string, at: Instant): Instant {
  const begin = Math.min(state.begins[kind] ?? at, at)
  state.begins[kind] = begin
  return begin
}

const DAY = 86_400_000

const DAYS_AGAIN = 31

/** Uncovers time in the future: the clock was ahead when it was written. */
export async function removeFutureListCoverage(
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

/**
 * Uncovers the time in which a store, subscribed again, was not: its records were not compared. The log's watermark stands where its
 * subscription was lost.
 */
export async function cutUnwatched(
  kind: string,
  places: readonly (string | null)[],
  { state, marks, now, storage }: Cutting,
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

interface Cutting {
  state: ListsState
  marks: readonly Watermark[]
  now: Instant
  storage: Pick<Storage, 'saveReconciliation'>
}
