import type { CoveredChange, UncoveredChange } from '../domain/ledger/covered.ts'
import type { Gap, GapChange, KeptGap } from '../domain/ledger/gap.ts'
import type { Watermark, WatermarkChange } from '../domain/ledger/watermark.ts'

/** The results of looking for what is missing, in one commit: what is not here, what was looked through, and what that proves. */
export interface LedgerChange {
  gaps?: readonly GapChange[]
  /** Taken back before anything is added. */
  uncovered?: readonly UncoveredChange[]
  covered?: readonly CoveredChange[]
  watermarks?: readonly WatermarkChange[]
}

/** A gap as stores read it; `body`: JSON of the rest. */
export type GapText = Omit<KeptGap, 'subject' | 'evidence' | 'ended'> & { body: string }

/** A gap as stores write it. */
export function toGapText(key: string, { subject, evidence, ended, ...columns }: Gap): Omit<GapText, 'id'> {
  return { key, ...columns, body: JSON.stringify({ subject, evidence, ended }) }
}

export function toKeptGap({ body, ...columns }: GapText): KeptGap {
  return { ...columns, ...JSON.parse(body) }
}

/** A gap that a person has explained. */
export function explained(gap: GapText, by: string, reason: string, at: number): string {
  const { subject, evidence } = toKeptGap(gap)
  return JSON.stringify({ subject, evidence, ended: { at, by, reason } })
}

/** A watermark as stores keep it: no store is the empty text. */
export function toWatermarkRow({ storeId, ...watermark }: Watermark): Watermark & { storeId: string } {
  return { ...watermark, storeId: storeId ?? '' }
}

export function toWatermark({ storeId, ...row }: Watermark & { storeId: string }): Watermark {
  return { ...row, storeId: storeId === '' ? null : storeId }
}

/** The place of a watermark among those of its level and kind. */
export function storeOf(change: WatermarkChange): string {
  return (change.type === 'put' ? change.watermark.storeId : change.storeId) ?? ''
}
