import { parseDecimal, sumDecimals } from '../../values/money.ts'
import type { Meanings } from './meanings.ts'
import { addedUp, type Difference, difference, differences } from './named-sum.ts'
import { rateDifferences } from './rates.ts'
import type { TillReceipt } from './receipt.ts'
import type { TillReport } from './report.ts'

/** The name of the count among differences. */
export const RECEIPTS = 'receipts'

/**
 * Everything that a till has counted otherwise than the receipts that are here say: how many they are, their total, what was paid
 * with, and what was sold at each VAT rate. What it does not say is not compared, nor is what receipts do not say.
 */
export function unbalanced(
  { receipts, sold, payments, rates }: TillReport,
  here: readonly TillReceipt[],
  meanings: Pick<Meanings, 'payments' | 'rates'>,
): Difference[] {
  const found: Difference[] = []
  if (receipts !== null) found.push(...difference(RECEIPTS, parseDecimal(receipts), parseDecimal(here.length)))
  if (sold !== null) found.push(...difference('total', sold, sumDecimals(here.map(({ total }) => total))))
  const known = here.flatMap(({ payments: paid }) => (paid === null ? [] : [paid]))
  if (payments !== null && meanings.payments !== 'none' && known.length === here.length) {
    const paid = addedUp(known)
    if (meanings.payments === 'each') found.push(...differences(payments, paid))
    else found.push(...difference('payments', sumDecimals(Object.values(payments)), sumDecimals(Object.values(paid))))
  }
  if (rates !== null) found.push(...rateDifferences(rates, addedUp(here.map((one) => one.rates)), meanings.rates))
  return found
}

/** Whether a report says anything that receipts can be held against. */
export function saysEnough({ receipts, sold }: TillReport): boolean {
  return receipts !== null || sold !== null
}
