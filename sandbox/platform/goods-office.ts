import { Router } from 'express'
import { createCorrectionsApi } from './corrections-api.ts'
import { type Counted, createCountsApi } from './counts-api.ts'
import { createGiftCardsApi } from './gift-cards-api.ts'
import type { Goods } from './goods.ts'
import { type Adjust, createAdjust } from './goods-adjust.ts'
import { createDeliveries } from './goods-deliveries.ts'
import { createDeliveriesApi } from './goods-deliveries-api.ts'
import { createPricesApi } from './goods-prices-api.ts'
import { createProductsApi } from './goods-products-api.ts'
import { createRemovalsApi } from './goods-removals-api.ts'
import { createStockApi } from './goods-stock-api.ts'
import { createListedPricesApi } from './listed-prices-api.ts'
import { createReservations } from './reservations.ts'
import { createReservationsApi } from './reservations-api.ts'
import type { Emit, Till } from './till.ts'
import { createTransfers } from './transfers.ts'
import { createTransfersApi } from './transfers-api.ts'
import { createVouchersApi } from './vouchers-api.ts'

/** Who changes products, prices and stock, and takes in deliveries: through the API, and in the stores. */
export function createGoodsOffice(goods: Goods, till: Till, now: () => number, emit: Emit) {
  const deliveries = createDeliveries(goods, till.move, now, emit)
  const transfers = createTransfers(till.move, now, emit)
  const reservations = createReservations(goods, now, emit)
  const counted: Counted[] = []
  const setLevels = createAdjust(goods, till.move, now, emit)
  const adjust: Adjust = (adjustment) => {
    const count = setLevels(adjustment)
    counted.push(count)
    return count
  }
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
    createCountsApi(() => counted),
    createCorrectionsApi(goods, till),
    createGiftCardsApi(till.cards),
    createVouchersApi(now),
  )
  return { router, deliveries, transfers, reservations, adjust }
}

export type GoodsOffice = ReturnType<typeof createGoodsOffice>
