import type { SubmitScope } from '../../../domain/access/scope.ts'
import { customerDeletions, customers } from './customers.ts'
import { deliveries, stockCorrections, transfers } from './goods-moves.ts'
import { orders } from './orders.ts'
import { costPrices, priceEnds, prices } from './prices.ts'
import { productDeletions, products } from './products.ts'
import type { Resource } from './resource.ts'
import { sales } from './sales.ts'
import { stockAdjustments } from './stock-adjustments.ts'

/** Everything that can be submitted, by its scope. */
export const RESOURCES: Readonly<Record<SubmitScope, Resource>> = {
  products,
  prices,
  'cost-prices': costPrices,
  'stock-adjustments': stockAdjustments,
  deliveries,
  sales,
  orders,
  customers,
  transfers,
  'stock-corrections': stockCorrections,
  'price-ends': priceEnds,
  'product-deletions': productDeletions,
  'customer-deletions': customerDeletions,
}
