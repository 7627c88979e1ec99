import type { createCustomers } from './areas/customers/customers.ts'
import type { createFreight, createListedPrices, createPrices } from './areas/goods/prices.ts'
import type { createProductRemovals, Products } from './areas/goods/products.ts'
import type { createReservations, Orders } from './areas/orders/orders.ts'
import type { createSales, createSettlements } from './areas/sales/sales.ts'
import type { createSalesLines, createStockMovements } from './areas/sales/sales-lines.ts'
import type { createCorrections, createDeliveries, createTransfers } from './areas/stock/deliveries.ts'
import type { createCounts, createStocks, Stock, StockStatusArea, storeShape } from './areas/stock/stock.ts'
import type { Events, Webhooks } from './areas/webhooks/webhooks.ts'
import type { Operations } from './http/client.ts'
import type { Listed, WireRecord } from './http/read.ts'

export type { EventQuery, EventRecord, LogAnswer, Subscription } from './areas/webhooks/webhooks.ts'

export type PlatformStore = Omit<ReturnType<typeof storeShape>, 'record'> & { record?: WireRecord }

/**
 * The platform as the hub uses it: results are read tolerantly into shapes of the hub's own, failures are the three errors of
 * domain/values/errors.ts (permanent, retry later, unknown outcome), and no secret is in any of them.
 */
export interface Platform extends AsyncDisposable {
  operations: Operations
  stores: { list(signal?: AbortSignal): Promise<Listed<PlatformStore>> }
  webhooks: Webhooks
  events: Events
  products: Products
  prices: ReturnType<typeof createPrices>
  stock: Stock
  deliveries: ReturnType<typeof createDeliveries>
  customers: ReturnType<typeof createCustomers>
  orders: Orders
  sales: ReturnType<typeof createSales>
  salesLines: ReturnType<typeof createSalesLines>
  stockMovements: ReturnType<typeof createStockMovements>
  stockStatus: StockStatusArea
  settlements: ReturnType<typeof createSettlements>
  corrections: ReturnType<typeof createCorrections>
  counts: ReturnType<typeof createCounts>
  freight: ReturnType<typeof createFreight>
  listedPrices: ReturnType<typeof createListedPrices>
  productRemovals: ReturnType<typeof createProductRemovals>
  reservations: ReturnType<typeof createReservations>
  stocks: ReturnType<typeof createStocks>
  transfers: ReturnType<typeof createTransfers>
}
