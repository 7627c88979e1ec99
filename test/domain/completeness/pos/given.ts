import type { Meanings, PosReceipt, PosReport } from '../../../../src/domain/completeness/pos.ts'
import { type Decimal, parseDecimal } from '../../../../src/domain/values/money.ts'

/** As config has them, if nobody says otherwise. */
export const MEANINGS: Meanings = { number: 'report', returns: 'apart', receipts: 'consecutive' }

export const decimal = (wire: number | string): Decimal => parseDecimal(wire)

/** The evening of a day in November, in Oslo. */
export function eveningOf(day: number): number {
  return Date.parse('2026-11-01T19:00:00Z') + (day - 1) * 86_400_000
}

/** The Z report of a day: its number is that of the day, and each day sells for 100, in one receipt. */
export function report(day: number, more: Partial<PosReport> = {}): PosReport {
  const date = new Date(eveningOf(day)).toISOString().slice(0, 10)
  return {
    settlementId: `s${day}`,
    place: '101',
    posId: '421',
    number: day,
    closedAt: eveningOf(day),
    from: `${date}T10:00:00`,
    to: `${date}T18:00:00`,
    numbers: null,
    receipts: 1,
    sold: decimal(100),
    hasPayments: true,
    ...more,
  }
}

export function receipt(day: number, more: Partial<PosReceipt> = {}): PosReceipt {
  const date = new Date(eveningOf(day)).toISOString().slice(0, 10)
  return { posId: '421', no: day, at: `${date}T12:00:00`, total: decimal(100), ...more }
}
