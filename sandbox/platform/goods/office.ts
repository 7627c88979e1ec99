import { Router } from 'express'
import { createCorrectionsApi } from '../api/corrections-api.ts'
import { createDeliveriesApi } from '../api/goods-deliveries-api.ts'
import { createPricesApi } from '../api/goods-prices-api.ts'
import { createProductsApi } from '../api/goods-products-api.ts'
import { createRemovalsApi } from '../api/goods-removals-api.ts'
import { createStockApi } from '../api/goods-stock-api.ts'
import { createListedPricesApi } from '../api/listed-prices-api.ts'
import { createReservationsApi } from '../api/reservations-api.ts'
import { createTransfersApi } from '../api/transfers-api.ts'
import type { Emit } from '../sales/emit.ts'
import type { Till } from '../sales/till.ts'
import { createAdjust } from './adjust.ts'
import { createDeliveries } from './deliveries.ts'
import type { Goods } from './held.ts'
import { createReservations } from './reservations.ts'
import { createTransfers } from './transfers.ts'

/** The office that changes products, prices and stock, and takes in deliveries: through the API, and in the stores. */
export function createGoodsOffice(goods: Goods, till: Till, now: () => number, emit: Emit) {
  const deliveries = createDeliveries(goods, till.move, now, emit)
  const transfers = createTransfers(till.move, now, emit)
  const reservations = createReservations(goods, now, emit)
  const adjust = createAdjust(goods, till.move, now, emit)
  const router = Router()
  router.use(
    createProductsApi(goods, till),
    createPricesApi(goods),
    createStockApi(goods, adjust),
    createDeliveriesApi(deliveries, goods, now),
    createTransfersApi(transfers, goods),
    createReservationsApi(reservations, goods),
    createRemovalsApi(goods),
    createListedPricesApi(goods),
    createCorrectionsApi(goods, till),
  )
  return { router, deliveries, transfers, reservations, adjust }
}

export type GoodsOffice = ReturnType<typeof createGoodsOffice>
