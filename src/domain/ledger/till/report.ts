import type { FiscalReport } from '../../books/settlement.ts'
import type { KeptRow } from '../../catalogue/mirror.ts'
import type { Instant } from '../../values/instant.ts'
import type { Decimal } from '../../values/money.ts'
import { wallClockIn, wallClockInstant } from '../../values/store-time.ts'

/** What undocumented fields of a settlement mean, as words of config. */
export const MEANINGS = {
  /** The Z number: of the fiscal report (else of the settlement), of the settlement, or none for each POS. */
  number: ['report', 'batch', 'none'],
  /** Returns are counted besides receipts, or among them. */
  returns: ['apart', 'among'],
  /** Consecutive receipt numbers tell how many there are. */
  receipts: ['consecutive', 'sparse'],
} as const

export type Meanings = { readonly [Field in keyof typeof MEANINGS]: (typeof MEANINGS)[Field][number] }

/** A Z report. Null: it does not say. */
export interface TillReport {
  settlementId: string
  /** The store's number at that time, else its id. */
  place: string
  posId: string
  number: number | null
  closedAt: Instant
  /** First and last sale, store-local. */
  from: string | null
  to: string | null
  /** First and last receipt number. */
  numbers: { from: number; to: number } | null
  /** Returns included. */
  receipts: number | null
  /** Less returns, with VAT. */
  sold: Decimal | null
  /** It names its payments: a webhook may name totals alone. */
  isWhole: boolean
}

/** Of a mirror row (`settlements`); null: without POS or time. */
export function readReport({ key, place, body }: KeptRow, meanings: Meanings, zone: string | null): TillReport | null {
  const posId = nameIn(body.posId)
  const at = nameIn(body.settledAt) ?? nameIn(body.to)
  const closedAt = at === null ? null : wallClockInstant(at, zone)
  if (posId === null || place === null || closedAt === null) return null
  const fiscal = (body.fiscal as FiscalReport | null | undefined) ?? null
  const [first, last] = [wholeIn(body.receiptNoFrom), wholeIn(body.receiptNoTo)]
  const numbers = first === null || last === null || last < first ? null : { from: first, to: last }
  const wall = (name: string) => (typeof body[name] === 'string' ? clock(body[name], zone) : null)
  const number = (meanings.number === 'report' ? fiscal?.number : null) ?? body.batchNumber
  return {
    settlementId: key,
    place,
    posId,
    number: meanings.number === 'none' ? null : wholeIn(number),
    closedAt,
    from: wall('from'),
    to: wall('to'),
    numbers,
    receipts: countOf(fiscal, numbers, meanings),
    sold: (body.grandTotal as Decimal | null | undefined) ?? null,
    isWhole: (body.payments ?? null) !== null,
  }
}

function countOf(fiscal: FiscalReport | null, numbers: TillReport['numbers'], meanings: Meanings): number | null {
  const { receipts = null, returns = null } = fiscal?.counts ?? {}
  if (receipts !== null) return meanings.returns === 'among' ? receipts : receipts + (returns ?? 0)
  return numbers === null || meanings.receipts === 'sparse' ? null : numbers.to - numbers.from + 1
}

export interface TillReceipt {
  posId: string
  no: number | null
  /** Store-local, to the second. */
  at: string
  total: Decimal
}

/** Of a mirror row (`sales`); null: without POS or time. */
export function readReceipt({ body }: Pick<KeptRow, 'body'>, zone: string | null): TillReceipt | null {
  const at = typeof body.soldAt === 'string' ? clock(body.soldAt, zone) : null
  const posId = nameIn(body.posId)
  // An imported sale is in no POS.
  if (body.external === true || at === null || posId === null) return null
  return { posId, no: wholeIn(body.receiptNo), at, total: body.total as Decimal }
}

/** Receipts known by number may be off by so much (ms): clocks that go back, a wrong clock of a POS. */
const SLACK = 3 * 3_600_000

/** True if a report counts a receipt: by number if both have one, else by time. */
export function counts(
  { from, to, numbers }: Pick<TillReport, 'from' | 'to' | 'numbers'>,
  { no, at }: TillReceipt,
): boolean {
  if (numbers === null || no === null) return from !== null && to !== null && at >= from && at <= to
  if (no < numbers.from || no > numbers.to) return false
  // Numbers may begin again with another POS of the same name.
  return from === null || to === null || (msOf(at) >= msOf(from) - SLACK && msOf(at) <= msOf(to) + SLACK)
}

/** To the second, for comparing. */
function clock(text: string, zone: string | null): string {
  return wallClockIn(text.trim(), zone).replace(' ', 'T').slice(0, 19)
}

function nameIn(value: unknown): string | null {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : null
}

function wholeIn(value: unknown): number | null {
  const text = nameIn(value)
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}

function msOf(wallClock: string): number {
  return Date.parse(`${wallClock}Z`)
}
