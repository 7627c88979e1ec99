import { allocateMoney, type Decimal, type Money, parseDecimal } from '../../domain/values/money.ts'

interface Pieces {
  price: Decimal
  quantity: Decimal
}

/** More of one article in one line is no order of a person. */
const MAX_QUANTITY = 10_000

const ONE = parseDecimal(1)

/**
 * A line as pieces whose prices are in coins and add up to what it cost: three for 100 kr are two for 33.33 and one for
 * 33.34. A quantity that is no whole number counts as one piece, as a line of nothing else can be exact.
 */
export function piecesOf(cost: Money, quantity: number): Pieces[] {
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > MAX_QUANTITY)
    return [{ price: cost.amount, quantity: ONE }]
  const prices = allocateMoney(
    cost,
    Array.from({ length: quantity }, () => ONE),
  ).map(({ amount }) => amount)
  return [...Map.groupBy(prices, (price) => price)].map(([price, those]) => ({
    price,
    quantity: parseDecimal(those.length),
  }))
}
