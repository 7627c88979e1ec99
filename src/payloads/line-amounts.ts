import { Big } from 'big.js'
import { type Decimal, equalMoney, type Money, multiplyMoney, roundMoney, sumMoney } from '../domain/values/money.ts'

/** A line as the platform wrote it: nothing says whether its amounts are of one piece or of all its pieces. */
export interface WrittenLine {
  quantity: Decimal
  price: Money
  vat: Money | null
  /** A fraction: 0.25 is 25 percent. */
  vatRate: Decimal | null
}

/**
 * Whether prices are of whole lines. The specification does not say; the public facts say of one piece, and only where those do not add
 * up to the sale's total and the prices themselves do, they are of lines. Compared in coins: a platform adds up in binary fractions.
 */
export function priceIsOfLine(lines: readonly WrittenLine[], total: Money): boolean {
  const { currency } = total
  const isTotal = (amounts: Money[]) => equalMoney(roundMoney(sumMoney(amounts, currency)), roundMoney(total))
  return !isTotal(lines.map(ofAllPieces)) && isTotal(lines.map(({ price }) => price))
}

/**
 * Whether VAT is of one piece. Each is rounded to a coin, so that pieces seldom add up to the sale's VAT: the reading that comes nearer
 * to it is right. Where the sale does not say its VAT, what the rates make of the lines' totals stands for it.
 */
export function vatIsOfOne(lines: readonly WrittenLine[], totals: readonly Money[], vatTotal: Money | null): boolean {
  const said = lines.flatMap(({ vat, quantity, vatRate }, nth) =>
    vat === null ? [] : [{ vat, quantity, byRate: byRate(totals[nth], vatRate) }],
  )
  const rates = said.flatMap(({ byRate }) => byRate ?? [])
  if (vatTotal === null && rates.length < said.length) return false
  const sum = vatTotal ? new Big(vatTotal.amount) : sumOf(rates)
  const ofLines = sumOf(said.map(({ vat }) => new Big(vat.amount)))
  const ofPieces = sumOf(said.map(({ vat, quantity }) => new Big(vat.amount).times(quantity)))
  return ofPieces.minus(sum).abs().lt(ofLines.minus(sum).abs())
}

/** What a line is worth where its price is of one piece. */
export function ofAllPieces({ price, quantity }: Pick<WrittenLine, 'price' | 'quantity'>): Money {
  return multiplyMoney(price, quantity)
}

/** The VAT in a total that has it in it; null: no rate is said, or none that there is. */
function byRate(total: Money | undefined, rate: Decimal | null): Big | null {
  if (total === undefined || rate === null || rate.startsWith('-')) return null
  return new Big(total.amount).times(rate).div(new Big(rate).plus(1))
}

function sumOf(amounts: readonly Big[]): Big {
  return amounts.reduce((sum, amount) => sum.plus(amount), new Big(0))
}
