import type { SubmitScope } from '../../domain/scope.ts'
import type { Resource } from './reading.ts'
import { customerDeletions, customers, priceEnds, prices, productDeletions, products } from './resources/catalogue.ts'
import { costPrices, goodsDeliveries, stockAdjustments, stockCorrections, transfers } from './resources/stock.ts'
import { orders, sales } from './resources/trade.ts'

export const RESOURCES: Readonly<Record<SubmitScope, Resource>> = {
  products,
  prices,
  'cost-prices': costPrices,
  'stock-adjustments': stockAdjustments,
  'goods-deliveries': goodsDeliveries,
  sales,
  orders,
  customers,
  transfers,
  'stock-corrections': stockCorrections,
  'price-ends': priceEnds,
  'product-deletions': productDeletions,
  'customer-deletions': customerDeletions,
}
