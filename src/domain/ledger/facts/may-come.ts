import type { Cause } from '../causes.ts'
import type { Range } from '../covered.ts'
import { type Watermark, watermarkOf } from '../watermark.ts'
import type { Fact } from './fact.ts'

/** Causes of gaps that the log is about to close by itself. */
export const ON_ITS_WAY = ['failed', 'claimed'] as const satisfies Cause[]

/** What the event log has shown of a kind. */
export interface LogOfKind {
  kind: string
  marks: readonly Watermark[]
  /** Stretches that were looked through, and those in which it could tell nothing. */
  looked: readonly Range[]
  gone: readonly Range[]
  /** Gaps are open that the log is about to close: any of them may be any event. */
  isOnItsWay: boolean
}

/**
 * Whether the log may still bring the event of a fact, which says more than a list does: until it has shown all of that time and
 * brought what it has, or is known to be gone for it. Where there is no log, nothing comes.
 */
export function mayStillCome({ storeId, latest }: Pick<Fact, 'storeId' | 'latest'>, log: LogOfKind): boolean {
  const mark = watermarkOf(log.marks, 'log', log.kind, storeId)
  const isIn = ({ from, to }: Range) => latest >= from && latest < to
  if (mark === null || log.gone.some(isIn)) return false
  return log.isOnItsWay || (latest >= mark.until && !log.looked.some(isIn))
}
