import type { Variant } from './records.ts'

/** How many can still be sold. */
export function saleable({ stockLevels }: Variant): number {
  return stockLevels.reduce((sum, { stockOnHand, stockAllocated }) => sum + stockOnHand - stockAllocated, 0)
}

/** Keeps so many for an order, or lets them go (below 0). All is kept at the first location. */
export function allocate({ stockLevels }: Variant, quantity: number): void {
  const [level] = stockLevels
  if (level) level.stockAllocated += quantity
}

export function take(variant: Variant, quantity: number): void {
  const [level] = variant.stockLevels
  if (!level) return
  allocate(variant, -quantity)
  level.stockOnHand -= quantity
}
