import type { CoveredChange, UncoveredChange } from '../domain/ledger/covered.ts'
import type { Gap, GapChange, KeptGap } from '../domain/ledger/gap.ts'
import type { Watermark, WatermarkChange } from '../domain/ledger/watermark.ts'

/** One commit of the ledger. */
export interface LedgerChange {
  gaps?: readonly GapChange[]
  /** Removed before `covered` is added. */
  uncovered?: readonly UncoveredChange[]
  covered?: readonly CoveredChange[]
  watermarks?: readonly WatermarkChange[]
}

/** `body`: JSON of the other fields. */
export type GapText = Omit<KeptGap, 'subject' | 'evidence' | 'ended'> & { body: string }

export function toGapText(key: string, { subject, evidence, ended, ...columns }: Gap): Omit<GapText, 'id'> {
  return { key, ...columns, body: JSON.stringify({ subject, evidence, ended }) }
}

export function toKeptGap({ body, ...columns }: GapText): KeptGap {
  return { ...columns, ...JSON.parse(body) }
}

export function explained(gap: GapText, by: string, reason: string, at: number): string {
  const { subject, evidence } = toKeptGap(gap)
  return JSON.stringify({ subject, evidence, ended: { at, by, reason } })
}

export function toWatermarkRow({ storeId, ...watermark }: Watermark): Watermark & { storeId: string } {
  return { ...watermark, storeId: storeId ?? '' }
}

export function toWatermark({ storeId, ...row }: Watermark & { storeId: string }): Watermark {
  return { ...row, storeId: storeId === '' ? null : storeId }
}

export function storeOf(change: WatermarkChange): string {
  return (change.type === 'put' ? change.watermark.storeId : change.storeId) ?? ''
}
