import { JOBS } from '../../../config/jobs.ts'
import type { GapChange, KeptGap } from '../../../domain/ledger/gap.ts'
import { gapKey } from '../../../domain/ledger/gap.ts'
import type { Rules } from '../../../domain/ledger/till/till.ts'
import { settlementOf } from '../../../domain/ledger/till/till-gap.ts'
import type { StoreIndex } from '../../../domain/places/store-index.ts'
import { counted } from '../../../domain/values/counted.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Store } from '../../../store/store.ts'
import type { HubJob } from '../../engine/job.ts'
import { addDays } from '../../pulls/store-days.ts'
import { lookAtStore, type StoreSeen } from './look-at-store.ts'
import { readReceipts, readReports } from './read-tills.ts'
import { readTillState, tillKey } from './till-state.ts'
import { markOf } from './till-watermarks.ts'

interface Options {
  store: Pick<Store, 'mirrorPage' | 'gaps' | 'oldestGaps' | 'watermarks' | 'saveLedger'>
  rules: Rules
  storeIndex(): StoreIndex
  logger: Logger
  /** A cron expression in UTC. */
  schedule?: string
}

/** Reports are looked at for so many days; of a till that nobody knows yet, for fewer: all its receipts are to be read. */
const DAYS = 14
const DAYS_OF_NEW = 3

/** Gaps read at once. */
const PAGE = 500

/**
 * Holds what is here against what the tills have counted: the numbers of their Z reports, their counters, how many receipts and
 * which sums. What differs is a gap; one that is no more is closed; then the watermarks move.
 */
export function tillCountersJob({ store, rules, storeIndex, logger, ...options }: Options): HubJob {
  const { schedule = JOBS['till-counters'].schedule } = options
  return {
    name: 'till-counters',
    schedule,
    async run({ now, signal, state: left }) {
      const state = readTillState(left)
      const open = await gapsOf({ state: 'open', road: 'till' })
      const excused = new Set(
        (await gapsOf({ state: 'explained', road: 'till', cause: 'unclosed' })).map(({ subject }) => subject),
      )
      const tools = { store, storeIndex, meanings: rules.meanings, signal }
      const stores = await readReports(firstDay(open, now), tools)
      const newest = dayOf(now, -DAYS_OF_NEW)
      const seen: { storeId: string | null; place: string; found: StoreSeen }[] = []
      for (const one of stores) {
        const reports = one.reports.filter(
          ({ closedAt, ...till }) => state.tills[tillKey(till)] !== undefined || dayOf(closedAt) >= newest,
        )
        const isWatched = reports.some((till) => state.tills[tillKey(till)]?.begins != null)
        const receiptsSince = (day: string) => readReceipts(one, day, tools)
        const asked = { store: { ...one, reports }, state, isWatched, excused, rules, now, receiptsSince }
        seen.push({ ...one, found: await lookAtStore(asked) })
      }
      const gaps = changesOf(seen.flatMap(({ found }) => found))
      if (gaps.length > 0) await store.saveLedger({ gaps }, now)
      await moveMarks(seen, now)
      const kept = Object.fromEntries(seen.flatMap(({ found }) => found.tills.map((till) => [till.key, till.kept])))
      return { state: { tills: { ...state.tills, ...kept }, lookedAt: now }, note: noteOf(seen, gaps) }

      function changesOf(found: readonly StoreSeen[]): GapChange[] {
        const now = found.flatMap((one) => one.gaps)
        const keys = new Set(now.map(gapKey))
        const judged = new Set(found.flatMap((one) => one.judged))
        const mended = open.filter((gap) => !keys.has(gap.key) && judged.has(settlementOf(gap) ?? ''))
        return [
          ...now.map((gap): GapChange => ({ type: 'see', gap })),
          ...mended.map(({ key }): GapChange => ({ type: 'mend', key, reason: 'the till and what is here agree' })),
        ]
      }
    },
  }

  async function gapsOf(filter: Parameters<Store['gaps']>[0]): Promise<KeptGap[]> {
    const all: KeptGap[] = []
    for (;;) {
      const page = await store.gaps(filter, all.at(-1)?.id ?? 0, PAGE)
      all.push(...page)
      if (page.length < PAGE) return all
    }
  }

  async function moveMarks(seen: readonly { storeId: string | null; place: string; found: StoreSeen }[], now: Instant) {
    const [marks, oldest] = await Promise.all([store.watermarks(), store.oldestGaps('till')])
    const watermarks = seen.flatMap(({ storeId, place, found }) => {
      const mark = markOf(storeId ?? place, found, { marks, oldest, now })
      if (mark === null) return []
      const { watermark, wentBack } = mark
      if (wentBack !== null)
        logger.error(
          { kind: watermark.kind, storeId, from: wentBack.until, to: watermark.until },
          'watermark.went-back',
        )
      return [{ type: 'put' as const, watermark }]
    })
    if (watermarks.length > 0) await store.saveLedger({ watermarks }, now)
  }
}

/** Far enough back for every open gap to be judged again: with the report before it. */
function firstDay(open: readonly KeptGap[], now: Instant): string {
  const oldest = open.reduce((first, { at }) => Math.min(first, at), now - DAYS * 86_400_000)
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
