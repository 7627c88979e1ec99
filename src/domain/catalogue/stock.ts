import type { Decimal } from '../values/money.ts'

/*
 * Stock movements (spec, "Stock movement (odata Stockmovements)" and Events 7). Names and codes are two words for one thing. The
 * spec shows eight names (L489) and what four codes mean (L150); which names the other codes have is not known, and not guessed.
 */

/** Goods that came into a stock (above 0) or left it, once. */
export interface Movement {
  movementId: string
  stockId: string
  /** The retailer's own name of the stock. */
  stockNo: string | null
  gtin: string | null
  sku: string | null
  /** `Sale`, `Manual` … (`movementTypeOf`). */
  type: string | null
  quantity: Decimal
  /** The level that it left in the stock. */
  level: Decimal | null
  /** The store's wall clock, as the platform wrote it; no zone. */
  at: string | null
}
