import type { Decimal } from '../values/money.ts'
import type { ReadProduct } from './master-data.ts'

/** The prices of a product in a list; none: it has no price there. */
export function pricesIn({ prices }: ReadProduct, list: string): Decimal[] {
  return prices.filter((one) => one.list === list).map(({ price }) => price)
}

/**
 * Whether tills that sell by this list can sell it (spec, Prices rule 4). Null: it is not for sale anywhere, or has no size by
 * which prices are told.
 */
export function isSellable(product: ReadProduct, list: string): boolean | null {
  if (product.isDeleted || product.isDiscontinued || product.sizes.length === 0) return null
  return pricesIn(product, list).length > 0
}
