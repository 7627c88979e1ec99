import { Router } from 'express'
import { createCustomersApi } from './customers-api.ts'
import { createCustomerBook } from './customers-book.ts'
import type { Goods } from './goods.ts'
import { createOdataApi } from './odata-api.ts'
import { createOrdersApi } from './orders-api.ts'
import { createOrderBook } from './orders-book.ts'
import { createSaleImport } from './sales-import.ts'
import { createSettlements } from './sales-settlements.ts'
import { createSettlementsApi } from './sales-settlements-api.ts'
import { createShelf } from './sales-shelf.ts'
import type { Emit, Till } from './till.ts'

/** Settlements, imported sales, customers, online orders and odata: what the platform does about sales. */
export function createSalesOffice(goods: Goods, till: Pick<Till, 'book' | 'move'>, now: () => number, emit: Emit) {
  const { book } = till
  const shelf = createShelf(goods, book.moved)
  const settlements = createSettlements(book, now, emit)
  const customers = createCustomerBook(now)
  const orders = createOrderBook(now, emit)

  const router = Router()
  router.use(
    createSettlementsApi(settlements),
    createSaleImport(till, shelf, customers, emit),
    createCustomersApi(customers, emit),
    createOrdersApi(orders),
    createOdataApi({ sold: () => book.sold, moved: () => book.moved, shelf, now }),
  )

  return {
    router,

    /** Settles each till of a store that sold something since; gives back the settlements. */
    closeDay: settlements.closeDay,

    /** What the staff of stores does with online orders. */
    orders: orders.actions,
  }
}

export type SalesOffice = ReturnType<typeof createSalesOffice>
