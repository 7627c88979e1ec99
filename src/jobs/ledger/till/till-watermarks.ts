import { coversStore, type OldestGap } from '../../../domain/ledger/gap.ts'
import { provenUntil } from '../../../domain/ledger/proven-until.ts'
import { RECEIPT_KIND } from '../../../domain/ledger/till/till-gap.ts'
import { moved, type Watermark, type WatermarkChange, watermarkOf } from '../../../domain/ledger/watermark.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { SeenTill, StoreSeen } from './look-at-store.ts'

/** Watermark of one store: until then, nothing is missing of what its tills have counted. */
interface TillMark {
  watermark: Watermark
  /** The watermark stood later before. */
  wentBack: Watermark | null
}

/** What is known besides the tills. */
interface Known {
  marks: readonly Watermark[]
  oldest: readonly OldestGap[]
  now: Instant
}

/**
 * Up to when the tills of a store have balanced, all of them. Behind the last close of a till nobody has counted yet: there it goes
 * as far as the log proves that no sale is missing. It passes no receipt that no report has counted, and no open gap. Null: no
 * till has been judged.
 */
export function markOf(storeId: string, { tills }: Pick<StoreSeen, 'tills'>, { marks, oldest, now }: Known) {
  const before = marks.find((one) => one.level === 'till' && one.storeId === storeId) ?? null
  const log = watermarkOf(marks, 'log', RECEIPT_KIND, storeId)
  const begins = tills.flatMap(({ kept }) => kept.begins ?? [])
  const ends = tills.filter(({ isExcused }) => !isExcused).flatMap((till) => endOf(till, before, log) ?? [])
  // Of a till whose first report was not whole, nothing is proven before it.
  const from = before?.from ?? Math.max(...begins)
  if (!Number.isFinite(from) || ends.length === 0) return null
  if (before === null && tills.some(({ until }) => until === null)) return null
  const own = oldest.filter((gap) => coversStore(gap, storeId))
  const oldestGap = own.length === 0 ? null : Math.min(...own.map(({ at }) => at))
  const until = provenUntil({ from, covered: [{ from, to: Math.min(...ends) }], excused: [], oldestGap })
  const { watermark, wentBack } = moved(before, { level: 'till', kind: RECEIPT_KIND, storeId, from, until }, now)
  return { watermark, wentBack: wentBack ? before : null } satisfies TillMark
}

/**
 * The watermark of a store that has no till to wait for any more (it was closed, or has another number), and no gap: it goes along
 * with the log's, and is no more where that is not. Null: it stays where it is.
 */
export function restingMark(mark: Watermark, { marks, oldest, now }: Known): WatermarkChange | null {
  if (mark.storeId === null || oldest.some((gap) => coversStore(gap, mark.storeId))) return null
  const log = watermarkOf(marks, 'log', RECEIPT_KIND, mark.storeId)
  if (log === null) return { type: 'drop', level: mark.level, kind: mark.kind, storeId: mark.storeId }
  if (log.from > mark.until || log.until <= mark.until) return null
  return { type: 'put', watermark: moved(mark, { ...mark, until: log.until }, now).watermark }
}

/** Up to where nothing is missing of one till; null: none of its reports has been judged. */
function endOf({ kept, until }: SeenTill, before: Watermark | null, log: Watermark | null): Instant | null {
  // The first report of a till waits: the others do not go on without it.
  if (until === null) return before?.until ?? null
  const rests = log !== null && log.from <= until ? Math.max(until, log.until) : until
  return Math.min(rests, kept.openSince ?? rests)
}
