import { JOBS } from '../../../config/jobs.ts'
import { type GapChange, type GapFilter, gapKey, type KeptGap } from '../../../domain/ledger/gap.ts'
import type { Rules } from '../../../domain/ledger/till/till.ts'
import { isBreak, RECEIPT_KIND, settlementOf } from '../../../domain/ledger/till/till-gap.ts'
import { type WatermarkChange, watermarkOf } from '../../../domain/ledger/watermark.ts'
import type { StoreIndex } from '../../../domain/places/store-index.ts'
import { counted } from '../../../domain/values/counted.ts'
import { addDays } from '../../../domain/values/day.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Store } from '../../../store/store.ts'
import { allGaps } from '../../../store/walk-pages.ts'
import type { HubJob } from '../../engine/job.ts'
import { lookAtStore, type StoreSeen } from './look-at-store.ts'
import { readReceipts, readStores, type TillStore } from './read-tills.ts'
import { readTillState, tillKey } from './till-state.ts'
import { dropped, isOfNoStore, markOf, restingMark } from './till-watermarks.ts'

/** A store, and what its tills have shown. */
interface SeenStore extends Pick<TillStore, 'home' | 'storeId'> {
  found: StoreSeen
}

interface Options {
  store: Pick<Store, 'mirrorPage' | 'formerPlaces' | 'gaps' | 'oldestGaps' | 'watermarks' | 'saveLedger'>
  rules: Rules
  storeIndex(): StoreIndex
  logger: Logger
  /** A cron expression in UTC. */
  schedule?: string
}

/** Reports are looked at for so many days; of a till that nobody knows yet, for fewer: all its receipts are to be read. */
const DAYS = 14
const DAYS_OF_NEW = 3

const DAY = 86_400_000

/**
 * Holds what is here against what the tills have counted: the numbers of their Z reports, how many receipts and their total. What
 * differs is a gap; one that is no more is closed; then the watermarks move.
 */
export function tillCountersJob({ store, rules, storeIndex, logger, ...options }: Options): HubJob {
  const { schedule = JOBS['till-counters'].schedule } = options
  return {
    name: 'till-counters',
    schedule,
    async run({ now, signal, state: left }) {
      const state = readTillState(left)
      const gapsOf = (filter: GapFilter) => allGaps(store, { ...filter, road: 'till' })
      const open = await gapsOf({ state: 'open' })
      const explained = await gapsOf({ state: 'explained', cause: 'unclosed' })
      const excused = new Map(explained.map(({ subject, ended }) => [subject, ended?.at ?? now]))
      const former = await store.formerPlaces()
      const tools = { store, stores: storeIndex().stores, former, meanings: rules.meanings, signal }
      const stores = await readStores(state, { day: firstDay(open, now), now }, tools)
      const newest = dayOf(now, -DAYS_OF_NEW)
      const marks = await store.watermarks()
      const seen: SeenStore[] = []
      for (const one of stores) {
        const { home } = one
        const reports = one.reports.filter(
          ({ posId, closedAt }) => state.tills[tillKey({ home, posId })] !== undefined || dayOf(closedAt) >= newest,
        )
        const found = await lookAtStore({
          ...{ state, excused, rules, now },
          store: { ...one, reports },
          isWatched: one.resting.length > 0,
          logFrom: watermarkOf(marks, 'log', RECEIPT_KIND, one.storeId)?.from ?? null,
          receiptsSince: (day) => readReceipts(one, day, tools),
        })
        seen.push({ ...one, found })
      }
      const gaps = gapChanges(
        open,
        seen.map(({ found }) => found),
      )
      if (gaps.length > 0) await store.saveLedger({ gaps }, now)
      await moveMarks(seen, now)
      const kept = Object.fromEntries(seen.flatMap(({ found }) => found.tills.map((till) => [till.key, till.kept])))
      return { state: { tills: { ...state.tills, ...kept }, lookedAt: now }, note: noteOf(seen, gaps) }
    },
  }

  async function moveMarks(seen: readonly SeenStore[], now: Instant) {
    const [marks, oldest] = await Promise.all([store.watermarks(), store.oldestGaps('till')])
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
    const resting = marks.filter(({ level, storeId }) => level === 'till' && !waitedFor.has(storeId ?? ''))
    const homes = new Set(seen.map(({ home }) => home))
    const { stores } = storeIndex()
    watermarks.push(
      ...resting.flatMap((mark) =>
        isOfNoStore(mark, homes, stores) ? dropped(mark) : (restingMark(mark, known) ?? []),
      ),
    )
    if (watermarks.length > 0) await store.saveLedger({ watermarks }, now)
  }
}

/** Whether a store has a till whose next report is waited for. */
function waitsFor({ tills }: StoreSeen): boolean {
  return tills.some(({ isExcused }) => !isExcused)
}

/** Far enough back for every open gap to be judged again: with the report before it. */
function firstDay(open: readonly KeptGap[], now: Instant): string {
  const oldest = open.reduce((first, { at }) => Math.min(first, at), now - DAYS * DAY)
  return dayOf(oldest, -1)
}

function dayOf(at: Instant, more = 0): string {
  return addDays(new Date(at).toISOString().slice(0, 10), more)
}

function noteOf(seen: readonly { found: StoreSeen }[], gaps: readonly GapChange[]): string {
  const tills = seen.flatMap(({ found }) => found.tills)
  const found = gaps.filter(({ type }) => type === 'see').length
  const mended = gaps.length - found
  const told = [
    [tills.filter(({ waits }) => waits).length, 'waiting for the rest'],
    [found, found === 1 ? 'difference' : 'differences'],
    [mended, 'mended'],
  ] as const
  return [counted(tills.length, 'till'), ...told.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`)].join(', ')
}

/** What was seen is kept; what was open, and is not seen any more where its report was judged again, is mended. */
export function gapChanges(open: readonly KeptGap[], stores: readonly StoreSeen[]): GapChange[] {
  const seen = stores.flatMap(({ gaps }) => gaps)
  const keys = new Set(seen.map(gapKey))
  const judged = new Set(stores.flatMap((one) => one.judged))
  const linked = new Set(stores.flatMap((one) => one.linked))
  const isLookedAt = (gap: KeptGap) => (isBreak(gap) ? linked : judged).has(settlementOf(gap) ?? '')
  const mended = open.filter((gap) => !keys.has(gap.key) && isLookedAt(gap))
  return [
    ...seen.map((gap): GapChange => ({ type: 'see', gap })),
    ...mended.map(({ key }): GapChange => ({ type: 'mend', key, reason: 'the till and what is here agree' })),
  ]
}
