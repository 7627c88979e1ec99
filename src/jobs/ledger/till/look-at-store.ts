import type { SeenGap } from '../../../domain/ledger/gap.ts'
import type { TillReceipt } from '../../../domain/ledger/till/receipt.ts'
import type { TillReport } from '../../../domain/ledger/till/report.ts'
import { lookAtTill, type Rules } from '../../../domain/ledger/till/till.ts'
import { unclosedGap } from '../../../domain/ledger/till/till-gap.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { wallClockInstant } from '../../../domain/values/store-time.ts'
import { addDays } from '../../pulls/store-days.ts'
import type { TillStore } from './read-tills.ts'
import { type KeptTill, type TillState, tillKey, UNKNOWN_TILL } from './till-state.ts'

/** A till that sold, and made no report for so long, is a gap (milliseconds). */
const UNCLOSED = 3 * 86_400_000

interface Asked {
  store: TillStore
  state: TillState
  /** Its tills were looked at before. */
  isWatched: boolean
  /** Tills without a report for days of which a person has said why, by the subject of the gap. */
  excused: ReadonlySet<string>
  rules: Rules
  now: Instant
  receiptsSince(day: string): Promise<Map<string, TillReceipt[]>>
}

/** What the tills of a store have shown. */
export interface StoreSeen {
  gaps: SeenGap[]
  judged: string[]
  tills: { key: string; kept: KeptTill; until: Instant | null; waits: boolean; holds: boolean }[]
}

/** Judges each till of a store. Its receipts are read where they can change anything. */
export async function lookAtStore({
  store,
  state,
  isWatched,
  excused,
  rules,
  now,
  ...read
}: Asked): Promise<StoreSeen> {
  const { place, storeId, zone, reports } = store
  const tills = [...Map.groupBy(reports, ({ posId }) => posId)].map(([posId, own]) => {
    const key = tillKey({ place, posId })
    return { posId, key, own, kept: state.tills[key] ?? UNKNOWN_TILL }
  })
  const days = tills.flatMap(({ own, kept }) => daysNeeded(own, kept, state.lookedAt ?? now))
  const receipts = days.length === 0 ? null : await read.receiptsSince(days.sort()[0] ?? '')
  const seen: StoreSeen = { gaps: [], judged: [], tills: [] }
  for (const { posId, key, own, kept } of tills) {
    const till = { place, posId, storeId, zone }
    const here = receipts?.get(posId) ?? []
    const looked = lookAtTill({ reports: own, receipts: here, till, memory: kept, isWatched, rules, now })
    const { memory, until, waits } = looked
    const openSince = receipts === null ? kept.openSince : openedAt(here, until ?? 0, kept.openSince, zone)
    seen.gaps.push(...looked.gaps)
    seen.judged.push(...looked.judged)
    const isUnclosed = openSince !== null && !waits && now - openSince > UNCLOSED && memory.last !== null
    const unclosed =
      isUnclosed && memory.last ? unclosedGap(openSince, memory.last, { ...till, isLearned: true }) : null
    if (unclosed !== null) seen.gaps.push(unclosed)
    const holds = unclosed === null || !excused.has(unclosed.subject)
    seen.tills.push({ key, kept: { ...memory, openSince }, until, waits, holds })
  }
  return seen
}

/** The first days of what is to be read for a till; none: what is known of it cannot have changed. */
function daysNeeded(reports: readonly TillReport[], { done, openSince, last }: KeptTill, lookedAt: Instant): string[] {
  const isDone = new Set(done)
  const undone = reports.filter(({ settlementId }) => !isDone.has(settlementId))
  if (undone.length === 0 && openSince !== null && last !== null && openSince > last.closedAt) return []
  // The mirror goes by the store's days, and a report may hold sales of several.
  return [dayBefore(lookedAt), ...undone.map(({ from, closedAt }) => from?.slice(0, 10) ?? dayBefore(closedAt))]
}

function dayBefore(at: Instant): string {
  return addDays(new Date(at).toISOString().slice(0, 10), -1)
}

/** The first receipt after a report. What was found before stays found: today's receipts need not hold it any more. */
function openedAt(here: readonly TillReceipt[], after: Instant, known: Instant | null, zone: string | null) {
  const found = here.flatMap(({ at }) => wallClockInstant(at, zone) ?? []).filter((at) => at > after)
  const all = known !== null && known > after ? [...found, known] : found
  return all.length === 0 ? null : all.reduce((first, at) => Math.min(first, at))
}
