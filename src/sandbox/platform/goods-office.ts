import { Router } from 'express'
import type { Goods } from './goods.ts'
import { createAdjust } from './goods-adjust.ts'
import { createDeliveries, type Deliveries } from './goods-deliveries.ts'
import { createDeliveriesApi } from './goods-deliveries-api.ts'
import { createPricesApi } from './goods-prices-api.ts'
import { createProductsApi } from './goods-products-api.ts'
import { createStockApi } from './goods-stock-api.ts'
import type { Emit, Till } from './till.ts'

export interface GoodsOffice {
  router: Router
  deliveries: Deliveries
}

/** Who changes products, prices and stock, and takes in deliveries: through the API, and in the stores. */
export function createGoodsOffice(goods: Goods, till: Till, now: () => number, emit: Emit): GoodsOffice {
  const deliveries = createDeliveries(goods, till.move, now, emit)
  const router = Router()
  router.use(
    createProductsApi(goods, till),
    createPricesApi(goods),
    createStockApi(goods, createAdjust(goods, till.move, now, emit)),
    createDeliveriesApi(deliveries, goods, now),
  )
  return { router, deliveries }
}
