import type { FiscalReport } from '../../books/fiscal.ts'
import type { KeptRow } from '../../catalogue/mirror.ts'
import type { Instant } from '../../values/instant.ts'
import { type Decimal, subtractDecimals, sumDecimals } from '../../values/money.ts'
import { wallClockInstant } from '../../values/store-time.ts'
import type { Meanings } from './meanings.ts'
import type { NamedSums } from './named-sum.ts'
import { type Paid, paymentSums } from './payments.ts'
import type { ReportedRate } from './rates.ts'
import { clock, nameIn, wholeIn } from './receipt.ts'

/** What a till says about itself when it is closed. Null: it does not say. */
export interface TillReport {
  settlementId: string
  /** The store's number when it was made, or its id where it had none. */
  place: string
  posId: string
  number: number | null
  closedAt: Instant
  /** The first and the last sale in it, on the store's wall clock. */
  from: string | null
  to: string | null
  /** The first and the last number of its receipts. */
  numbers: { from: number; to: number } | null
  /** How many receipts it counts, returns among them. */
  receipts: number | null
  /** What it sold, less what came back, with VAT. */
  sold: Decimal | null
  /** All that it ever sold, by its own counter (what that counts, the meanings say), and by how much it has grown since the last one. */
  counter: Decimal | null
  growth: Decimal | null
  payments: NamedSums | null
  rates: ReportedRate[] | null
  /** A report that names its payments: what was pushed may name totals alone. */
  isWhole: boolean
}

/** The report of a row of the mirror (`settlements`), as the meanings have it; null: it is of no till, or does not say when. */
export function readReport({ key, place, body }: KeptRow, meanings: Meanings, zone: string | null): TillReport | null {
  const posId = nameIn(body.posId)
  const at = nameIn(body.settledAt) ?? nameIn(body.to)
  const closedAt = at === null ? null : wallClockInstant(at, zone)
  if (posId === null || place === null || closedAt === null) return null
  const fiscal = (body.fiscal as FiscalReport | null | undefined) ?? null
  const payments = (body.payments as Paid[] | null | undefined) ?? null
  const numbers = rangeIn(body)
  const sold = (body.grandTotal as Decimal | null | undefined) ?? null
  const wall = (name: string) => (typeof body[name] === 'string' ? clock(body[name], zone) : null)
  return {
    settlementId: key,
    place,
    posId,
    number: numberOf(fiscal, body.batchNumber, meanings),
    closedAt,
    from: wall('from'),
    to: wall('to'),
    numbers,
    receipts: countOf(fiscal, numbers, meanings),
    sold,
    counter: counterOf(fiscal, meanings),
    growth: meanings.counter === 'sales' ? withReturns(sold, fiscal) : sold,
    payments: payments && paymentSums(payments),
    rates: fiscal === null ? null : ((body.vatRates as ReportedRate[] | null | undefined) ?? null),
    isWhole: payments !== null,
  }
}

function numberOf(fiscal: FiscalReport | null, batch: unknown, { number }: Meanings): number | null {
  if (number === 'none') return null
  return wholeIn((number === 'report' ? fiscal?.number : null) ?? batch)
}

function rangeIn(body: KeptRow['body']): TillReport['numbers'] {
  const from = wholeIn(body.receiptNoFrom)
  const to = wholeIn(body.receiptNoTo)
  return from === null || to === null || to < from ? null : { from, to }
}

/** Counted by the till, else told by the numbers of its receipts. */
function countOf(fiscal: FiscalReport | null, numbers: TillReport['numbers'], meanings: Meanings): number | null {
  const { receipts = null, returns = null } = fiscal?.counts ?? {}
  if (receipts !== null) return meanings.returns === 'among' ? receipts : receipts + (returns ?? 0)
  return numbers === null || meanings.receipts === 'sparse' ? null : numbers.to - numbers.from + 1
}

function counterOf(fiscal: FiscalReport | null, { counter }: Meanings): Decimal | null {
  if (fiscal === null || counter === 'none') return null
  const { sales, returns, net } = fiscal.counters
  if (counter === 'less-returns') return sales === null || returns === null ? null : subtractDecimals(sales, returns)
  return counter === 'net' ? net : sales
}

/** A counter of sales alone does not fall by what came back. */
function withReturns(sold: Decimal | null, fiscal: FiscalReport | null): Decimal | null {
  const returned = fiscal?.returned ?? null
  return sold === null || returned === null ? null : sumDecimals([sold, returned])
}
