import type { SeenGap } from '../../../domain/ledger/gap.ts'
import type { TillReceipt, TillReport } from '../../../domain/ledger/till/report.ts'
import { type LookedAt, lookAtTill, type Rules } from '../../../domain/ledger/till/till.ts'
import { unclosedGap } from '../../../domain/ledger/till/till-gap.ts'
import { addDays } from '../../../domain/values/day.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { over } from '../../../domain/values/still-to-come.ts'
import { wallClockInstant } from '../../../domain/values/store-time.ts'
import type { TillStore } from './read-tills.ts'
import { type KeptTill, type TillState, tillKey, UNKNOWN_TILL } from './till-state.ts'

const DAY = 86_400_000

/** A till that sold, and made no report for so long, is a gap (milliseconds). */
const UNCLOSED = 3 * DAY

/** A till of which nothing came for so long is, too, unless the log proves that there was nothing. */
const SILENT = 14 * DAY

interface Asked {
  store: TillStore
  state: Pick<TillState, 'tills' | 'lookedAt'>
  /** The store's tills were looked at before. */
  isWatched: boolean
  /** Tills without a report for days of which a person has said why, and when, by the subject of the gap. */
  excused: ReadonlyMap<string, Instant>
  rules: Rules
  now: Instant
  /** From here on the log proves that no sale is missing; null: it proves nothing. */
  logFrom: Instant | null
  receiptsSince(day: string): Promise<Map<string, TillReceipt[]>>
}

/** A till, as it is remembered from now on. */
export interface SeenTill extends Pick<LookedAt, 'until' | 'waits'> {
  key: string
  kept: KeptTill
  /** A person has said why it makes no reports any more. */
  isExcused: boolean
}

/** What the tills of a store have shown. */
export interface StoreSeen {
  gaps: SeenGap[]
  judged: string[]
  linked: string[]
  tills: SeenTill[]
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
  const { home, storeId, zone, resting, reports } = store
  const tills = [...new Set([...resting, ...reports.map(({ posId }) => posId)])].map((posId) => {
    const key = tillKey({ home, posId })
    return { posId, key, own: reports.filter((one) => one.posId === posId), kept: state.tills[key] ?? UNKNOWN_TILL }
  })
  // A look that is still to come was made by a clock that was ahead: what was sold since the one before it was not read.
  const lookedAt = state.lookedAt === null ? now : (over(state.lookedAt, now) ?? now - UNCLOSED)
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
    const since = waits ? null : unclosedSince(memory.last, openSince, read.logFrom, now)
    const unclosed = since === null || memory.last === null ? null : unclosedOf(since, memory.last)
    if (unclosed !== null) seen.gaps.push(unclosed)
    const isExcused = unclosed !== null && excused.has(unclosed.subject)
    seen.tills.push({ key, kept: { ...memory, openSince }, until, waits, isExcused })

    /** What a person has explained is not what the till has sold since. */
    function unclosedOf(at: Instant, last: NonNullable<KeptTill['last']>): SeenGap {
      const gap = unclosedGap(at, last, till)
      const explainedAt = excused.get(gap.subject)
      const isAnother = explainedAt !== undefined && openSince !== null && openSince > explainedAt
      return isAnother ? { ...gap, subject: `${gap.subject}/${openSince}` } : gap
    }
  }
  return seen
}

/** Since when nobody has counted what a till sold, or may have sold; null: not for so long that a person is to look. */
function unclosedSince(
  last: KeptTill['last'],
  openSince: Instant | null,
  logFrom: Instant | null,
  now: Instant,
): Instant | null {
  if (openSince !== null) return now - openSince > UNCLOSED ? openSince : null
  if (last === null || (logFrom !== null && logFrom <= last.closedAt)) return null
  return now - last.closedAt > SILENT ? last.closedAt : null
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
