import type { Money } from './money.ts'

/** A settlement as an entry in the books: its lines add up to 0.00 (debit above 0, credit below). */
export interface Journal {
  lines: JournalLine[]
  /** What is missing to 0.00, on either side. A journal that is posted has 0, or stands on the account of differences. */
  difference: Money
}

export interface JournalLine {
  account: string
  /** What it is for, in a few words: `Card Visa`, `Sales 25 %`, `Discrepancy`. */
  text: string
  /** Above 0: debit. Below 0: credit. */
  amount: Money
  /** A fraction; of lines of sales and VAT. */
  vatRate: string | null
}
