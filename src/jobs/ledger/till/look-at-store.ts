import type { SeenGap } from '../../../domain/ledger/gap.ts'
import type { TillReceipt, TillReport } from '../../../domain/ledger/till/report.ts'
import { type LookedAt, lookAtTill, type Rules, unclosedGap } from '../../../domain/ledger/till/till.ts'
import { addDays, type Instant } from '../../../domain/values/instant.ts'
import { wallClockInstant } from '../../../domain/values/store-time.ts'
import { type KeptTill, type TillState, type TillStore, tillKey, UNKNOWN_TILL } from './read-tills.ts'

const DAY = 86_400_000

/** Without a Z report after sales (ms). */
const UNCLOSED = 3 * DAY

interface Asked {
  store: TillStore
  state: Pick<TillState, 'tills' | 'lookedAt'>
  isWatched: boolean
  /** Subjects of gaps that an operator has explained. */
  excused: ReadonlySet<string>
  rules: Rules
  now: Instant
  receiptsSince(day: string): Promise<Map<string, TillReceipt[]>>
}

export interface SeenTill extends Pick<LookedAt, 'until' | 'waits'> {
  key: string
  kept: KeptTill
  isExcused: boolean
}

export interface StoreSeen {
  gaps: SeenGap[]
  judged: string[]
  linked: string[]
  tills: SeenTill[]
}

/** Judges each POS of a store. Receipts are read only if needed. */
export async function lookAtStore({
  store,
  state,
  isWatched,
  excused,
  rules,
  now,
  ...read
}: Asked): Promise<StoreSeen> {
  const { home, storeId, zone, resting, reports } = store
  const tills = [...new Set([...resting, ...reports.map(({ posId }) => posId)])].map((posId) => {
    const key = tillKey({ home, posId })
    return { posId, key, own: reports.filter((one) => one.posId === posId), kept: state.tills[key] ?? UNKNOWN_TILL }
  })
  // In the future: the clock was ahead.
  const lookedAt = state.lookedAt === null ? now : state.lookedAt > now ? now - UNCLOSED : state.lookedAt
  const days = tills.flatMap(({ own, kept }) => daysNeeded(own, kept, lookedAt))
  const receipts = days.length === 0 ? null : await read.receiptsSince(days.sort()[0] ?? '')
  const seen: StoreSeen = { gaps: [], judged: [], linked: [], tills: [] }
  for (const { posId, key, own, kept } of tills) {
    const till = { posId, storeId, zone }
    const here = receipts?.get(posId) ?? []
    const looked = lookAtTill({ reports: own, receipts: here, till, memory: kept, isWatched, rules, now })
    const { memory, until, countedUntil, waits } = looked
    const openSince = receipts === null ? kept.openSince : openedAt(here, countedUntil ?? 0, kept.openSince, zone)
    seen.gaps.push(...looked.gaps)
    seen.judged.push(...looked.judged)
    seen.linked.push(...looked.linked)
    const { last } = memory
    const isUnclosed = !waits && last !== null && openSince !== null && now - openSince > UNCLOSED
    const unclosed = isUnclosed ? unclosedGap(openSince, last, till) : null
    if (unclosed !== null) seen.gaps.push(unclosed)
    const isExcused = unclosed !== null && excused.has(unclosed.subject)
    seen.tills.push({ key, kept: { ...memory, openSince }, until, waits, isExcused })
  }
  return seen
}

/** First days of the receipts to read; none: nothing can have changed. */
function daysNeeded(reports: readonly TillReport[], { done, openSince, last }: KeptTill, lookedAt: Instant): string[] {
  const isDone = new Set(done)
  const undone = reports.filter(({ settlementId }) => !isDone.has(settlementId))
  if (undone.length === 0 && openSince !== null && last !== null && openSince > last.closedAt) return []
  // A report may hold sales of several days.
  return [dayBefore(lookedAt), ...undone.map(({ from, closedAt }) => from?.slice(0, 10) ?? dayBefore(closedAt))]
}

function dayBefore(at: Instant): string {
  return addDays(new Date(at).toISOString().slice(0, 10), -1)
}

/** First receipt after a report. */
function openedAt(here: readonly TillReceipt[], after: Instant, known: Instant | null, zone: string | null) {
  const found = here.flatMap(({ at }) => wallClockInstant(at, zone) ?? []).filter((at) => at > after)
  const all = known !== null && known > after ? [...found, known] : found
  return all.length === 0 ? null : all.reduce((first, at) => Math.min(first, at))
}
