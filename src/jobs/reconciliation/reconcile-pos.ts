import { z } from 'zod'
import {
  advanceWatermark,
  provenUntil,
  type Watermark,
  type WatermarkChange,
  watermarkOf,
} from '../../domain/completeness/completeness.ts'
import {
  coversStore,
  type DetectedGap,
  type GapChange,
  type GapFilter,
  gapKey,
  type OldestGap,
  type StoredGap,
} from '../../domain/completeness/gap.ts'
import {
  checkPos,
  instantOf,
  isBreak,
  type Meanings,
  NEW_POS,
  type PosCheckResult,
  PosMemory,
  type PosReceipt,
  type PosReport,
  RECEIPT_KIND,
  type Rules,
  readReceipt,
  readReport,
  settlementOf,
  unclosedGap,
} from '../../domain/completeness/pos.ts'
import { type FormerPlace, likelyStoresOfRow, posNames, type StoreIndex } from '../../domain/stores/store-index.ts'
import { addDays, type Instant, utcDay } from '../../domain/values/instant.ts'
import { countTexts, pluralize } from '../../domain/values/text.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Storage } from '../../storage/storage.ts'
import { allGaps, mirrorPages } from '../../storage/walk-pages.ts'
import type { HubJob } from '../engine/job.ts'

type CheckedStore = PosStore & { found: StoreCheckResult }

interface Options {
  storage: Pick<Storage, 'mirrorPage' | 'formerPlaces' | 'gaps' | 'oldestGaps' | 'watermarks' | 'saveReconciliation'>
  rules: Rules
  storeIndex(): StoreIndex
  logger: Logger
}

/** Days of reports that are judged; fewer of a new POS, since all its receipts are read. */
const DAYS = 14
const DAYS_OF_NEW = 3

const DAY = 86_400_000

/** Compares Z reports with the receipts here: number, count and total. Differences are gaps; then the watermarks move. */
export function reconcilePosJob({ storage, rules, storeIndex, logger }: Options): HubJob {
  return {
    name: 'reconcile-pos',
    async run({ now, signal, state: left }) {
      const state = readPosState(left)
      const gapsOf = (filter: GapFilter) => allGaps(storage, { ...filter, source: 'pos' })
      const open = await gapsOf({ state: 'open' })
      const explained = await gapsOf({ state: 'explained', cause: 'unclosed' })
      const excused = new Set(explained.map(({ subject }) => subject))
      const former = await storage.formerPlaces()
      const tools = { storage, stores: storeIndex().stores, former, meanings: rules.meanings, signal }
      const oldest = open.reduce((first, { at }) => Math.min(first, at), now - DAYS * DAY)
      const stores = await readStores(state, { day: dayBefore(oldest), now }, tools)
      const newest = addDays(utcDay(now), -DAYS_OF_NEW)
      const seen: CheckedStore[] = []
      for (const one of stores) {
        const { home } = one
        const isKnown = (posId: string) => state.posList[posKey({ home, posId })] !== undefined
        const reports = one.reports.filter(({ posId, closedAt }) => isKnown(posId) || utcDay(closedAt) >= newest)
        const found = await checkStore({
          ...{ state, excused, rules, now },
          store: { ...one, reports },
          isWatched: one.resting.length > 0,
          receiptsSince: (day) => readReceipts(one, day, tools),
        })
        seen.push({ ...one, found })
      }
      const checked = seen.map(({ found }) => found)
      const gaps = gapChanges(open, checked)
      if (gaps.length > 0) await storage.saveReconciliation({ gaps }, now)
      await moveMarks(seen, now)
      const posList = checked.flatMap((found) => found.posList)
      const kept = Object.fromEntries(posList.map((pos) => [pos.key, pos.kept]))
      return { state: { posList: { ...state.posList, ...kept }, lookedAt: now }, note: summaryOf(posList, gaps) }
    },
  }

  async function moveMarks(seen: readonly CheckedStore[], now: Instant) {
    const [marks, oldest] = await Promise.all([storage.watermarks(), storage.oldestGaps('pos')])
    const known = { marks, oldest, now }
    const watermarks: WatermarkChange[] = seen.flatMap(({ home, storeId, found }) => {
      const mark = markOf(home, found, known)
      if (mark === null) return []
      const { watermark, wentBack } = mark
      const back = { kind: watermark.kind, storeId, from: wentBack?.until, to: watermark.until }
      if (wentBack !== null) logger.error(back, 'watermark.went-back')
      return [{ type: 'put' as const, watermark }]
    })
    const waited = seen.filter(({ found }) => found.posList.some(({ isExcused }) => !isExcused))
    const waitedFor = new Set(waited.map(({ home }) => home))
    const resting = marks.filter(({ level, storeId }) => level === 'pos' && !waitedFor.has(storeId ?? ''))
    watermarks.push(...resting.flatMap((mark) => restingMark(mark, known) ?? []))
    if (watermarks.length > 0) await storage.saveReconciliation({ watermarks }, now)
  }
}

function summaryOf(posList: readonly CheckedPos[], gaps: readonly GapChange[]): string {
  const found = gaps.filter(({ type }) => type === 'see').length
  const counts = countTexts({
    'waiting for the rest': posList.filter(({ waits }) => waits).length,
    [found === 1 ? 'difference' : 'differences']: found,
    repaired: gaps.length - found,
  })
  return [pluralize(posList.length, 'POS', 'POS'), ...counts].join(', ')
}

export function gapChanges(open: readonly StoredGap[], stores: readonly StoreCheckResult[]): GapChange[] {
  const seen = stores.flatMap(({ gaps }) => gaps)
  const keys = new Set(seen.map(gapKey))
  const lookedAt = (gap: StoredGap) => (isBreak(gap) ? 'linked' : gap.cause === 'unclosed' ? 'closed' : 'judged')
  // Stores may have one number: what agrees in another, or in any of them, closes no gap of this one.
  const isLookedAt = (gap: StoredGap) =>
    stores.some(
      (one) =>
        (gap.storeId === null || gap.storeId === one.storeId) && one[lookedAt(gap)].includes(settlementOf(gap) ?? ''),
    )
  const repaired = open.filter((gap) => !keys.has(gap.key) && isLookedAt(gap))
  return [
    ...seen.map((gap): GapChange => ({ type: 'see', gap })),
    ...repaired.map(({ key }): GapChange => ({ type: 'repair', key, reason: 'the POS and what is here agree' })),
  ]
}

interface WatermarkInput {
  marks: readonly Watermark[]
  oldest: readonly OldestGap[]
  now: Instant
}

/** Until when all POS of a store balance; after the last close the log's watermark counts, until something is sold. Null: none. */
export function markOf(
  storeId: string,
  { posList }: Pick<StoreCheckResult, 'posList'>,
  { marks, oldest, now }: WatermarkInput,
): { watermark: Watermark; wentBack: Watermark | null } | null {
  const before = marks.find((one) => one.level === 'pos' && one.storeId === storeId) ?? null
  const log = watermarkOf(marks, 'log', RECEIPT_KIND, storeId)
  const begins = posList.flatMap(({ kept }) => kept.begins ?? [])
  const ends = posList.filter(({ isExcused }) => !isExcused).flatMap((pos) => endOf(pos, before, log) ?? [])
  // A first report that is incomplete proves nothing before it.
  const from = before?.from ?? Math.max(...begins)
  if (!Number.isFinite(from) || ends.length === 0) return null
  if (before === null && posList.some(({ until }) => until === null)) return null
  const own = oldest.filter((gap) => coversStore(gap, storeId))
  const oldestGap = own.length === 0 ? null : Math.min(...own.map(({ at }) => at))
  const until = provenUntil({ from, covered: [{ from, to: Math.min(...ends) }], excused: [], oldestGap })
  const to = { level: 'pos', kind: RECEIPT_KIND, storeId, from, until } as const
  const { watermark, wentBack } = advanceWatermark(before, to, now)
  return { watermark, wentBack: wentBack ? before : null }
}

/** A store without POS to wait for, and without gaps, follows the log's watermark. Null: unchanged. */
function restingMark(mark: Watermark, { marks, oldest, now }: WatermarkInput): WatermarkChange | null {
  if (mark.storeId === null || oldest.some((gap) => coversStore(gap, mark.storeId))) return null
  const log = watermarkOf(marks, 'log', RECEIPT_KIND, mark.storeId)
  if (log === null) return { type: 'drop', level: 'pos', kind: RECEIPT_KIND, storeId: mark.storeId }
  if (log.from > mark.until || log.until <= mark.until) return null
  return { type: 'put', watermark: advanceWatermark(mark, { ...mark, until: log.until }, now).watermark }
}

/** Null: none of its reports was judged. */
function endOf({ kept, until }: CheckedPos, before: Watermark | null, log: Watermark | null): Instant | null {
  if (until === null) return before?.until ?? null
  const rests = log !== null && log.from <= until ? Math.max(until, log.until) : until
  return Math.min(rests, kept.openSince ?? rests)
}

/** Without a Z report after sales (ms). */
const UNCLOSED = 3 * DAY

interface StoreCheckInput {
  store: PosStore
  state: Pick<PosState, 'posList' | 'lookedAt'>
  isWatched: boolean
  /** Subjects of gaps that an operator has explained. */
  excused: ReadonlySet<string>
  rules: Rules
  now: Instant
  receiptsSince(day: string): Promise<Map<string, PosReceipt[]>>
}

interface CheckedPos extends Pick<PosCheckResult, 'until' | 'waits'> {
  key: string
  kept: KeptPos
  isExcused: boolean
}

interface StoreCheckResult extends Pick<PosStore, 'storeId'> {
  gaps: DetectedGap[]
  judged: string[]
  linked: string[]
  /** Last settlements, after which sales were looked for. */
  closed: string[]
  posList: CheckedPos[]
}

/** Judges each POS of a store. Receipts are read only if needed. */
export async function checkStore(input: StoreCheckInput): Promise<StoreCheckResult> {
  const { state, isWatched, excused, rules, now, receiptsSince } = input
  const { home, storeId, zone, resting, reports } = input.store
  const posList = [...new Set([...resting, ...reports.map(({ posId }) => posId)])].map((posId) => {
    const key = posKey({ home, posId })
    return { posId, key, own: reports.filter((one) => one.posId === posId), kept: state.posList[key] ?? UNKNOWN_POS }
  })
  // In the future: the clock was ahead.
  const lookedAt = state.lookedAt === null ? now : state.lookedAt > now ? now - UNCLOSED : state.lookedAt
  const days = posList.flatMap(({ own, kept }) => daysNeeded(own, kept, lookedAt))
  const receipts = days.length === 0 ? null : await receiptsSince(days.sort()[0] ?? '')
  const seen: StoreCheckResult = { storeId, gaps: [], judged: [], linked: [], closed: [], posList: [] }
  for (const { posId, key, own, kept } of posList) {
    const pos = { posId, storeId, zone }
    const here = receipts?.get(posId) ?? []
    const looked = checkPos({ reports: own, receipts: here, pos, memory: kept, isWatched, rules, now })
    const { memory, until, countedUntil, waits } = looked
    const openSince = receipts === null ? kept.openSince : openedAt(here, countedUntil ?? 0, kept.openSince, zone)
    seen.gaps.push(...looked.gaps)
    seen.judged.push(...looked.judged)
    seen.linked.push(...looked.linked)
    seen.closed.push(...looked.judged, ...(kept.last === null ? [] : [kept.last.settlementId]))
    const { last } = memory
    const isUnclosed = !waits && last !== null && openSince !== null && now - openSince > UNCLOSED
    const unclosed = isUnclosed ? unclosedGap(openSince, last, pos) : null
    if (unclosed !== null) seen.gaps.push(unclosed)
    const isExcused = unclosed !== null && excused.has(unclosed.subject)
    seen.posList.push({ key, kept: { ...memory, openSince }, until, waits, isExcused })
  }
  return seen
}

/** First days of the receipts to read; none: nothing can have changed. */
function daysNeeded(reports: readonly PosReport[], { done, openSince, last }: KeptPos, lookedAt: Instant): string[] {
  const isDone = new Set(done)
  const undone = reports.filter(({ settlementId }) => !isDone.has(settlementId))
  if (undone.length === 0 && openSince !== null && last !== null && openSince > last.closedAt) return []
  // A report may hold sales of several days.
  return [dayBefore(lookedAt), ...undone.map(({ from, closedAt }) => from?.slice(0, 10) ?? dayBefore(closedAt))]
}

function dayBefore(at: Instant): string {
  return addDays(utcDay(at), -1)
}

/** First receipt after a report. */
function openedAt(here: readonly PosReceipt[], after: Instant, known: Instant | null, zone: string | null) {
  const found = here.flatMap(({ at }) => instantOf(at, zone) ?? []).filter((at) => at > after)
  const all = known !== null && known > after ? [...found, known] : found
  return all.length === 0 ? null : all.reduce((first, at) => Math.min(first, at))
}

type KeptPos = z.output<typeof KeptPos>

const KeptPos = PosMemory.extend({
  /** First sale since its last report. */
  openSince: z.number().nullable(),
})

export type PosState = z.output<typeof State>

const State = z.object({ posList: z.record(z.string(), KeptPos), lookedAt: z.number().nullable() })

const UNKNOWN_POS: KeptPos = { ...NEW_POS, openSince: null }

export function readPosState(state: unknown): PosState {
  return State.safeParse(state).data ?? { posList: {}, lookedAt: null }
}

/** `home`: the platform's id of its store, else the store's name. */
export function posKey({ home, posId }: { home: string; posId: string }): string {
  return JSON.stringify([home, posId])
}

/** By home. */
function possSince(posList: PosState['posList'], since: Instant): Map<string, string[]> {
  const homes = new Map<string, string[]>()
  for (const [key, { last }] of Object.entries(posList)) {
    if (last === null || last.closedAt < since) continue
    const [home, posId] = JSON.parse(key) as [home: string, posId: string]
    homes.set(home, [...(homes.get(home) ?? []), posId])
  }
  return homes
}

/** Days without a report after which a POS is not waited for. */
const DAYS_OF_RESTING = 60

interface PosStore {
  /** Unique: the platform's id, else the name. */
  home: string
  storeId: string | null
  zone: string | null
  /** Each number that it has had. */
  names: string[]
  reports: PosReport[]
  resting: string[]
}

interface ReadTools {
  storage: Pick<Storage, 'mirrorPage'>
  stores: StoreIndex['stores']
  former: readonly FormerPlace[]
  meanings: Meanings
  signal: AbortSignal
}

async function readStores(
  { posList }: Pick<PosState, 'posList'>,
  { day, now }: { day: string; now: Instant },
  { storage, stores, former, meanings, signal }: ReadTools,
): Promise<PosStore[]> {
  const storesOf = likelyStoresOfRow(stores, former)
  const resting = possSince(posList, now - DAYS_OF_RESTING * DAY)
  const read = new Map<string, PosStore>()
  for await (const rows of mirrorPages(storage, { set: 'settlements', from: day }, signal))
    for (const row of rows) {
      if (row.place === null) continue
      const [only = null, ...others] = storesOf(row)
      const one = storeOf(others.length === 0 ? only : null, row.place)
      const report = readReport(row, meanings, one.zone)
      if (report !== null) one.reports.push(report)
    }
  for (const home of resting.keys()) if (stores.some(({ storeId }) => storeId === home)) storeOf(home, home)
  return [...read.values()]

  function storeOf(storeId: string | null, place: string): PosStore {
    const home = storeId ?? place
    const known = stores.find((one) => one.storeId === storeId)
    const names = known === undefined ? [place] : posNames(known, former)
    const made = read.get(home) ?? {
      ...{ home, storeId, zone: known?.zone ?? null, names, reports: [] },
      resting: resting.get(home) ?? [],
    }
    read.set(home, made)
    return made
  }
}

/** Receipts of a store since a day, by POS, under each name of the store; not those of another store that had the name then. */
export async function readReceipts(
  { storeId, names, zone }: Pick<PosStore, 'storeId' | 'names' | 'zone'>,
  from: string,
  { storage, stores, former, signal }: Pick<ReadTools, 'storage' | 'stores' | 'former' | 'signal'>,
): Promise<Map<string, PosReceipt[]>> {
  const storesOf = likelyStoresOfRow(stores, former)
  const posList = new Map<string, PosReceipt[]>()
  for (const place of names)
    for await (const rows of mirrorPages(storage, { set: 'sales', place, from }, signal))
      for (const row of rows) {
        const of = storesOf(row)
        const receipt = storeId === null || of.length === 0 || of.includes(storeId) ? readReceipt(row, zone) : null
        if (receipt === null) continue
        const known = posList.get(receipt.posId)
        if (known === undefined) posList.set(receipt.posId, [receipt])
        else known.push(receipt)
      }
  return posList
}
