import { allocateMoney, type Decimal, type Money, parseDecimal } from '../../domain/values/money.ts'

interface Pieces {
  price: Decimal
  quantity: Decimal
}

/** No order of a person has more of an article. */
const MAX_QUANTITY = 10_000
const ONE = parseDecimal(1)

/**
 * A line as pieces whose prices add up to its cost: three for 100 kr are two for 33.33 and one for 33.34. A fractional quantity counts as
 * one piece.
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
