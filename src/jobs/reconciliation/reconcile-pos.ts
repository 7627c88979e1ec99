import {
  coversStore,
  type GapChange,
  type GapFilter,
  gapKey,
  type KeptGap,
  type OldestGap,
} from '../../domain/completeness/gap.ts'
import { isBreak, RECEIPT_KIND, type Rules, settlementOf } from '../../domain/completeness/pos.ts'
import {
  moved,
  provenUntil,
  type Watermark,
  type WatermarkChange,
  watermarkOf,
} from '../../domain/completeness/watermark.ts'
import type { StoreIndex } from '../../domain/stores/store-index.ts'
import { addDays, type Instant } from '../../domain/values/instant.ts'
import { pluralize } from '../../domain/values/text.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Storage } from '../../storage/storage.ts'
import { allGaps } from '../../storage/walk-pages.ts'
import type { HubJob } from '../engine/job.ts'
import {
  lookAtStore,
  type PosStore,
  posKey,
  readPosState,
  readReceipts,
  readStores,
  type SeenPos,
  type StoreSeen,
} from './look-at-store.ts'

interface SeenStorage extends Pick<PosStore, 'home' | 'storeId'> {
  found: StoreSeen
}

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

/**
 * Compares Z reports with the receipts here: number, count and total. A difference is a gap, and is closed when it is gone; then the
 * watermarks move.
 */
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
      const stores = await readStores(state, { day: firstDay(open, now), now }, tools)
      const newest = dayOf(now, -DAYS_OF_NEW)
      const seen: SeenStorage[] = []
      for (const one of stores) {
        const { home } = one
        const reports = one.reports.filter(
          ({ posId, closedAt }) => state.posList[posKey({ home, posId })] !== undefined || dayOf(closedAt) >= newest,
        )
        const found = await lookAtStore({
          ...{ state, excused, rules, now },
          store: { ...one, reports },
          isWatched: one.resting.length > 0,
          receiptsSince: (day) => readReceipts(one, day, tools),
        })
        seen.push({ ...one, found })
      }
      const gaps = gapChanges(
        open,
        seen.map(({ found }) => found),
      )
      if (gaps.length > 0) await storage.saveReconciliation({ gaps }, now)
      await moveMarks(seen, now)
      const kept = Object.fromEntries(seen.flatMap(({ found }) => found.posList.map((pos) => [pos.key, pos.kept])))
      return { state: { posList: { ...state.posList, ...kept }, lookedAt: now }, note: summaryOf(seen, gaps) }
    },
  }

  async function moveMarks(seen: readonly SeenStorage[], now: Instant) {
    const [marks, oldest] = await Promise.all([storage.watermarks(), storage.oldestGaps('pos')])
    const known = { marks, oldest, now }
    const watermarks: WatermarkChange[] = seen.flatMap(({ home, storeId, found }) => {
      const mark = markOf(home, found, known)
      if (mark === null) return []
      const { watermark, wentBack } = mark
      if (wentBack !== null)
        logger.error(
          { kind: watermark.kind, storeId, from: wentBack.until, to: watermark.until },
          'watermark.went-back',
        )
      return [{ type: 'put' as const, watermark }]
    })
    const waitedFor = new Set(seen.flatMap(({ home, found }) => (waitsFor(found) ? [home] : [])))
    const resting = marks.filter(({ level, storeId }) => level === 'pos' && !waitedFor.has(storeId ?? ''))
    watermarks.push(...resting.flatMap((mark) => restingMark(mark, known) ?? []))
    if (watermarks.length > 0) await storage.saveReconciliation({ watermarks }, now)
  }
}

function waitsFor({ posList }: StoreSeen): boolean {
  return posList.some(({ isExcused }) => !isExcused)
}

function firstDay(open: readonly KeptGap[], now: Instant): string {
  const oldest = open.reduce((first, { at }) => Math.min(first, at), now - DAYS * DAY)
  return dayOf(oldest, -1)
}

function dayOf(at: Instant, more = 0): string {
  return addDays(new Date(at).toISOString().slice(0, 10), more)
}

function summaryOf(seen: readonly { found: StoreSeen }[], gaps: readonly GapChange[]): string {
  const posList = seen.flatMap(({ found }) => found.posList)
  const found = gaps.filter(({ type }) => type === 'see').length
  const repaired = gaps.length - found
  const reported = [
    [posList.filter(({ waits }) => waits).length, 'waiting for the rest'],
    [found, found === 1 ? 'difference' : 'differences'],
    [repaired, 'repaired'],
  ] as const
  return [
    pluralize(posList.length, 'POS', 'POS'),
    ...reported.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`),
  ].join(', ')
}

export function gapChanges(open: readonly KeptGap[], stores: readonly StoreSeen[]): GapChange[] {
  const seen = stores.flatMap(({ gaps }) => gaps)
  const keys = new Set(seen.map(gapKey))
  const judged = new Set(stores.flatMap((one) => one.judged))
  const linked = new Set(stores.flatMap((one) => one.linked))
  const isLookedAt = (gap: KeptGap) => (isBreak(gap) ? linked : judged).has(settlementOf(gap) ?? '')
  const repaired = open.filter((gap) => !keys.has(gap.key) && isLookedAt(gap))
  return [
    ...seen.map((gap): GapChange => ({ type: 'see', gap })),
    ...repaired.map(({ key }): GapChange => ({ type: 'repair', key, reason: 'the POS and what is here agree' })),
  ]
}

interface PosMark {
  watermark: Watermark
  wentBack: Watermark | null
}

interface Known {
  marks: readonly Watermark[]
  oldest: readonly OldestGap[]
  now: Instant
}

/**
 * Until when all POS of a store balance. After the last close the log's watermark counts, as long as nothing was sold. Never passes an
 * uncounted receipt or an open gap. Null: none was judged.
 */
export function markOf(storeId: string, { posList }: Pick<StoreSeen, 'posList'>, { marks, oldest, now }: Known) {
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
  const { watermark, wentBack } = moved(before, { level: 'pos', kind: RECEIPT_KIND, storeId, from, until }, now)
  return { watermark, wentBack: wentBack ? before : null } satisfies PosMark
}

/** A store without POS to wait for, and without gaps, follows the log's watermark. Null: unchanged. */
function restingMark(mark: Watermark, { marks, oldest, now }: Known): WatermarkChange | null {
  if (mark.storeId === null || oldest.some((gap) => coversStore(gap, mark.storeId))) return null
  const log = watermarkOf(marks, 'log', RECEIPT_KIND, mark.storeId)
  if (log === null) return { type: 'drop', level: 'pos', kind: RECEIPT_KIND, storeId: mark.storeId }
  if (log.from > mark.until || log.until <= mark.until) return null
  return { type: 'put', watermark: moved(mark, { ...mark, until: log.until }, now).watermark }
}

/** Null: none of its reports was judged. */
function endOf({ kept, until }: SeenPos, before: Watermark | null, log: Watermark | null): Instant | null {
  if (until === null) return before?.until ?? null
  const rests = log !== null && log.from <= until ? Math.max(until, log.until) : until
  return Math.min(rests, kept.openSince ?? rests)
}
