import type { Sale } from '../books/sale.ts'
import {
  amountText,
  compareDecimals,
  distanceBetween,
  equalMoney,
  type Money,
  parseDecimal,
  roundMoney,
  sumMoney,
} from '../values/money.ts'

/** Less than this may be the rounding of cash, which a till need not name. */
const ROUNDED = parseDecimal(1)

/**
 * The contradiction between the lines of the sale, its total and what was paid. Which of them is right is for a person to say: the order
 * costs what its lines do.
 */
export function contradictionOf({ total, lines, payments }: Pick<Sale, 'total' | 'lines' | 'payments'>): string | null {
  const { currency } = total
  const sumOf = (moneys: Money[]) => roundMoney(sumMoney(moneys, currency))
  const sold = sumOf(lines.map((line) => line.total))
  const paid = payments.length === 0 ? null : sumOf(payments.map(({ amount }) => amount))
  const whole = roundMoney(total)
  const isPaid = paid === null || compareDecimals(distanceBetween(paid.amount, whole.amount), ROUNDED) < 0
  if (equalMoney(sold, whole) && isPaid) return null
  const said = [
    `lines of ${shown(sold)}`,
    `a total of ${shown(whole)}`,
    ...(paid ? [`payments of ${shown(paid)}`] : []),
  ]
  return `The till's sums contradict each other: ${said.join(', ')}.`
}

function shown(amount: Money): string {
  return `${amountText(amount)} ${amount.currency}`
}
