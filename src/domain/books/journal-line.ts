import { type Money, money, subtractMoney } from '../values/money.ts'

/** A line of a journal: an amount on one account. */
export interface JournalLine {
  account: string
  /** The purpose, in a few words: `Card Visa`, `Sales 25 %`, `Discrepancy`. */
  text: string
  /** Above 0: debit. Below 0: credit. */
  amount: Money
  /** A fraction; of lines of sales and VAT. */
  vatRate: string | null
}

/** The amount on the other side. */
export function negative(amount: Money): Money {
  return subtractMoney(money(0, amount.currency), amount)
}
