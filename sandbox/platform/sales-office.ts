import { Router } from 'express'
import { createAggregatesApi } from './aggregates-api.ts'
import { createCustomerChangesApi } from './customer-changes-api.ts'
import type { Customer } from './customers.ts'
import { createCustomersApi } from './customers-api.ts'
import { createCustomerBook } from './customers-book.ts'
import type { Goods } from './goods.ts'
import { createOdataApi } from './odata-api.ts'
import { createOrdersApi } from './orders-api.ts'
import { createOrderBook } from './orders-book.ts'
import { createOrderGoods } from './orders-goods.ts'
import type { Reservations } from './reservations.ts'
import { createSaleImport } from './sales-import.ts'
import { createSettlements } from './sales-settlements.ts'
import { createSettlementsApi } from './sales-settlements-api.ts'
import { createShelf } from './sales-shelf.ts'
import type { Emit, Till } from './till.ts'

/** Settlements, imported sales, customers, online orders and odata: what the platform does about sales. */
export function createSalesOffice(
  { goods, reservations, keeps }: { goods: Goods; reservations: Reservations; keeps: () => boolean },
  till: Pick<Till, 'book' | 'move'>,
  now: () => number,
  emit: Emit,
  seeds: readonly Customer[],
) {
  const { book } = till
  const shelf = createShelf(goods, book.moved)
  const settlements = createSettlements(book, now, emit)
  const customers = createCustomerBook(now, seeds)
  const orders = createOrderBook(now, emit, createOrderGoods(goods, reservations, till.move, keeps))
  const imports = createSaleImport(till, shelf, customers, emit)

  const router = Router()
  router.use(
    createSettlementsApi(settlements),
    imports.router,
    createCustomersApi(customers, emit),
    createCustomerChangesApi(customers),
    createAggregatesApi(() => book.sold),
    createOrdersApi(orders),
    createOdataApi({ sold: () => book.sold, moved: () => book.moved, shelf, catalogue: goods.catalogue, now }),
  )

  return { router, settlements, customers, orders, importSale: imports.importSale, imported: imports.taken }
}

export type SalesOffice = ReturnType<typeof createSalesOffice>
