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
import type { Pos } from '../sales/pos.ts'
import { createAdjust } from './adjust.ts'
import { createDeliveries } from './deliveries.ts'
import type { Goods } from './held.ts'
import { createReservations } from './reservations.ts'
import { createTransfers } from './transfers.ts'

/** The office that changes products, prices and stock, and takes in deliveries: through the API, and in the stores. */
export function createGoodsOffice(goods: Goods, pos: Pos, now: () => number, emit: Emit) {
  const deliveries = createDeliveries(goods, pos.move, now, emit)
  const transfers = createTransfers(pos.move, now, emit)
  const reservations = createReservations(goods, now, emit)
  const adjust = createAdjust(goods, pos.move, now, emit)
  const router = Router()
  router.use(
    createProductsApi(goods, pos),
    createPricesApi(goods),
    createStockApi(goods, adjust),
    createDeliveriesApi(deliveries, goods, now),
    createTransfersApi(transfers, goods),
    createReservationsApi(reservations, goods),
    createRemovalsApi(goods),
    createListedPricesApi(goods),
    createCorrectionsApi(goods, pos),
  )
  return { router, deliveries, transfers, reservations, adjust }
}

export type GoodsOffice = ReturnType<typeof createGoodsOffice>
