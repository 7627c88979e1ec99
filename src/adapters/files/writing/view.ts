import type { BookingName, Bookings, SettlementBooking } from '../../../domain/books/bookings.ts'
import type { Decimal } from '../../../domain/values/money.ts'

/** A line of a settlement as accounts want it: debit and credit beside each other, neither below 0. */
interface Entry {
  /** Null: config has no accounts. */
  account: string | null
  text: string
  amount: Decimal
  debit: Decimal | null
  credit: Decimal | null
  currency: string
  vatRate: string | null
}

/** A record as paths see it: with its key, and a settlement with its `entries`. */
export function viewOf(method: BookingName, record: Bookings[BookingName], key: string): Record<string, unknown> {
  const view = { key, ...record }
  return method === 'bookSettlement' ? { ...view, entries: entriesOf(record as SettlementBooking) } : view
}

/** The journal; where config has no accounts for one, what was paid by each means. */
function entriesOf({ journal, settlement }: SettlementBooking): Entry[] {
  if (journal)
    return journal.lines.map((line) => ({ ...line, ...bothSides(line.amount.amount), currency: line.amount.currency }))
  return (settlement.payments ?? []).map(({ type, subType, amount: { amount, currency } }) => ({
    account: null,
    text: [type, subType].filter(Boolean).join(' '),
    ...bothSides(amount),
    currency,
    vatRate: null,
  }))
}

function bothSides(amount: Decimal): Pick<Entry, 'amount' | 'debit' | 'credit'> {
  if (amount.startsWith('-')) return { amount, debit: null, credit: amount.slice(1) as Decimal }
  return { amount, debit: amount, credit: null }
}
