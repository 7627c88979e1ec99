import type { FiscalReport } from '../../books/settlement.ts'
import type { KeptRow } from '../../catalogue/mirror.ts'
import type { Instant } from '../../values/instant.ts'
import type { Decimal } from '../../values/money.ts'
import { wallClockIn, wallClockInstant } from '../../values/store-time.ts'
import { instantsOf } from '../facts/wall-clock.ts'

/** What fields of a settlement mean, where no document says; the words that config takes. */
export const MEANINGS = {
  /**
   * The Z number: that of the fiscal report (of the settlement where there is none), always the settlement's own, or
   * `none`: no number runs on for each till.
   */
  number: ['report', 'batch', 'none'],
  /** Returns are counted besides receipts, or among them. */
  returns: ['apart', 'among'],
  /** The numbers of receipts run on, so that the first and the last tell how many there are; or they do not. */
  receipts: ['consecutive', 'sparse'],
} as const

export type Meanings = { readonly [Field in keyof typeof MEANINGS]: (typeof MEANINGS)[Field][number] }

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
  /** All that it ever sold, less what came back, by its own counter. */
  counter: Decimal | null
  /** It names its payments: what was pushed may name totals alone. */
  isWhole: boolean
}

/** The report of a row of the mirror (`settlements`); null: it is of no till, or does not say when. */
export function readReport({ key, place, body }: KeptRow, meanings: Meanings, zone: string | null): TillReport | null {
  const posId = nameIn(body.posId)
  const at = nameIn(body.settledAt) ?? nameIn(body.to)
  const closedAt = at === null ? null : wallClockInstant(at, zone)
  if (posId === null || place === null || closedAt === null) return null
  const fiscal = (body.fiscal as FiscalReport | null | undefined) ?? null
  const numbers = rangeIn(body)
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
    counter: fiscal?.counters.net ?? null,
    isWhole: (body.payments ?? null) !== null,
  }
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

/** A receipt of a till that is here. */
export interface TillReceipt {
  posId: string
  /** Runs on for each till; null: it is no number. */
  no: number | null
  /** The store's wall clock, to the second. */
  at: string
  total: Decimal
}

/** A receipt of a row of the mirror (`sales`); null: it is of no till, or does not say when. */
export function readReceipt({ body }: Pick<KeptRow, 'body'>, zone: string | null): TillReceipt | null {
  const at = typeof body.soldAt === 'string' ? clock(body.soldAt, zone) : null
  const posId = nameIn(body.posId)
  // A sale that another system imported was in no till.
  if (body.external === true || at === null || posId === null) return null
  return { posId, no: wholeIn(body.receiptNo), at, total: body.total as Decimal }
}

/** Where receipts are known by their numbers, times may be off by so much: clocks that go back, a till whose clock is wrong. */
const SLACK = 3 * 3_600_000

/**
 * Whether a receipt is one of those that a report counts: by its number where the report has numbers, else by its time, first and
 * last sale included; `perhaps` where one of these is in the hour that clocks show twice. A report of neither counts none.
 */
export function counts(
  { from, to, numbers }: Pick<TillReport, 'from' | 'to' | 'numbers'>,
  { no, at }: TillReceipt,
  zone: string | null,
): 'yes' | 'no' | 'perhaps' {
  if (numbers !== null && no !== null) {
    if (no < numbers.from || no > numbers.to) return 'no'
    // Numbers may begin again with another till of the same name.
    return from === null || to === null || (msOf(at) >= msOf(from) - SLACK && msOf(at) <= msOf(to) + SLACK)
      ? 'yes'
      : 'no'
  }
  if (from === null || to === null) return 'no'
  if (zone === null || ![from, to].some((one) => isFolded(one, zone))) return at >= from && at <= to ? 'yes' : 'no'
  const [first, last, own] = [from, to, at].map((one) => instantsOf(one, [zone]))
  if (!first || !last || !own || own.latest < first.earliest || own.earliest > last.latest) return 'no'
  return own.earliest >= first.latest && own.latest <= last.earliest ? 'yes' : 'perhaps'
}

/** Whether a wall clock shows this time twice, when clocks go back. */
function isFolded(wallClock: string, zone: string): boolean {
  const { earliest, latest } = instantsOf(wallClock, [zone])
  return earliest !== latest
}

/** A wall clock to the second, so that two of them compare whatever digits follow. */
function clock(text: string, zone: string | null): string {
  return wallClockIn(text.trim(), zone).replace(' ', 'T').slice(0, 19)
}

function nameIn(value: unknown): string | null {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : null
}

/** A whole number from 0, as text or as a number. */
function wholeIn(value: unknown): number | null {
  const text = nameIn(value)
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}

function msOf(wallClock: string): number {
  return Date.parse(`${wallClock}Z`)
}
