import type { SubmitScope } from '../../domain/scope.ts'
import { costPrices } from './cost-prices.ts'
import { customers } from './customers.ts'
import { deliveries } from './deliveries.ts'
import { orders } from './orders.ts'
import { prices } from './prices.ts'
import { products } from './products.ts'
import type { Resource } from './resource.ts'
import { sales } from './sales.ts'
import { stockAdjustments } from './stock-adjustments.ts'

/** What can be submitted, by its scope. */
export const RESOURCES: Readonly<Record<SubmitScope, Resource>> = {
  products,
  prices,
  'cost-prices': costPrices,
  'stock-adjustments': stockAdjustments,
  deliveries,
  sales,
  orders,
  customers,
}
