import type { Sale } from '../accounting/sale.ts'
import {
  compareDecimals,
  distanceBetween,
  type Money,
  moneyText,
  parseDecimal,
  roundMoney,
  sumMoney,
} from '../values/money.ts'
import { type StoryMessage, say } from './story.ts'

const ROUNDED = parseDecimal(1)

export function contradictionOf({
  total,
  lines,
  payments,
}: Pick<Sale, 'total' | 'lines' | 'payments'>): StoryMessage | null {
  const { currency } = total
  const sumOf = (moneys: Money[]) => roundMoney(sumMoney(moneys, currency))
  const sold = sumOf(lines.map((line) => line.total))
  const paid = payments.length === 0 ? null : sumOf(payments.map(({ amount }) => amount))
  const whole = roundMoney(total)
  const isWhole = ({ amount }: Money) => compareDecimals(distanceBetween(amount, whole.amount), ROUNDED) < 0
  if (isWhole(sold) && (paid === null || isWhole(paid))) return null
  const sums = { sold: moneyText(sold), total: moneyText(whole) }
  return paid ? say('story.contradiction.paid', { ...sums, paid: moneyText(paid) }) : say('story.contradiction', sums)
}
