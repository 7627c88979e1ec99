import type { Decimal } from '../values/money.ts'

/**
 * The report that a till owes the law with each settlement (Norway: the Z report of the SAF-T cash register), as far as it can be
 * read; amounts are in the settlement's currency. Null: it does not say.
 */
export interface FiscalReport {
  /** Runs on for each till, without a gap. */
  number: string | null
  registerId: string | null
  /** Everything since the till's first day: none of them is ever set back. */
  counters: { sales: Decimal | null; returns: Decimal | null; net: Decimal | null }
  counts: { receipts: number | null; returns: number | null }
  /** What came back, above 0. */
  returned: Decimal | null
  /** Rung up to learn the till: no sale. */
  training: Decimal | null
}
