import type { KeptRow } from '../../catalogue/mirror.ts'
import type { Decimal } from '../../values/money.ts'
import { wallClockIn } from '../../values/store-time.ts'
import { type NamedSums, sumsOf } from './named-sum.ts'
import { type Paid, paymentSums } from './payments.ts'
import { rateName } from './rates.ts'

/** A receipt of a till that is here. */
export interface TillReceipt {
  posId: string
  /** Runs on for each till; null: it is no number. */
  no: number | null
  /** The store's wall clock, to the second. */
  at: string
  total: Decimal
  /** Null: nobody knows how it was paid. */
  payments: NamedSums | null
  /** With VAT. */
  rates: NamedSums
}

interface Line {
  total: Decimal
  vatRate: Decimal | null
}

/** A receipt of a row of the mirror (`sales`); null: it is of no till, or does not say when. */
export function readReceipt({ body }: Pick<KeptRow, 'body'>, zone: string | null): TillReceipt | null {
  const at = typeof body.soldAt === 'string' ? clock(body.soldAt, zone) : null
  const posId = nameIn(body.posId)
  // A sale that another system imported was in no till.
  if (body.external === true || at === null || posId === null) return null
  const lines = (body.lines as Line[] | undefined) ?? []
  const payments = body.payments as Paid[] | null | undefined
  return {
    posId,
    no: wholeIn(body.receiptNo),
    at,
    total: body.total as Decimal,
    payments: payments === null ? null : paymentSums(payments ?? []),
    rates: sumsOf(lines.flatMap(({ total, vatRate }) => (vatRate === null ? [] : [[rateName(vatRate), total]]))),
  }
}

/** A wall clock to the second, so that two of them compare whatever digits follow. */
export function clock(text: string, zone: string | null): string {
  return wallClockIn(text.trim(), zone).replace(' ', 'T').slice(0, 19)
}

export function nameIn(value: unknown): string | null {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : null
}

/** A whole number from 0, as text or as a number. */
export function wholeIn(value: unknown): number | null {
  const text = nameIn(value)
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}
