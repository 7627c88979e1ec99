import { coversStore, type OldestGap } from '../../../domain/ledger/gap.ts'
import { RECEIPT_KIND } from '../../../domain/ledger/till/till-gap.ts'
import { moved, provenUntil, type Watermark, watermarkOf } from '../../../domain/ledger/watermark.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { StoreSeen } from './look-at-store.ts'

/** Of one store: nothing is missing of what its tills have counted. */
export interface TillMark {
  watermark: Watermark
  /** It stood later before. */
  wentBack: Watermark | null
}

/**
 * Up to when the tills of a store have balanced: the last close; behind it as far as the log proves that nothing was sold since
 * (nobody has counted that yet). It passes no sale that no report has counted, and no open gap. Null: no till has been judged.
 */
export function markOf(
  storeId: string,
  { tills }: Pick<StoreSeen, 'tills'>,
  { marks, oldest, now }: { marks: readonly Watermark[]; oldest: readonly OldestGap[]; now: Instant },
): TillMark | null {
  const before = marks.find((one) => one.level === 'till' && one.storeId === storeId) ?? null
  const begins = tills.flatMap(({ kept }) => kept.begins ?? [])
  const closes = tills.flatMap(({ until }) => until ?? [])
  if (begins.length === 0 || closes.length === 0) return null
  if (before === null && tills.some(({ waits, until }) => waits && until === null)) return null
  const from = before?.from ?? Math.min(...begins)
  const log = watermarkOf(marks, 'log', RECEIPT_KIND, storeId)
  const rests = log !== null && log.from <= Math.max(...closes) ? log.until : 0
  const holds = tills
    .filter(({ holds: does }) => does)
    .flatMap(({ kept, waits, until }) => kept.openSince ?? (waits ? Math.max(until ?? 0, before?.until ?? 0) : []))
  const to = Math.min(Math.max(...closes, rests), ...holds)
  const own = oldest.filter((gap) => coversStore(gap, storeId))
  const oldestGap = own.length === 0 ? null : Math.min(...own.map(({ at }) => at))
  const until = provenUntil({ from, covered: [{ from, to }], excused: [], oldestGap })
  const { watermark, wentBack } = moved(before, { level: 'till', kind: RECEIPT_KIND, storeId, from, until }, now)
  return { watermark, wentBack: wentBack ? before : null }
}
