import { Router } from 'express'
import { createCustomersApi } from '../api/customers-api.ts'
import { createOdataApi } from '../api/odata-api.ts'
import { createOrdersApi } from '../api/orders-api.ts'
import { createSettlementsApi } from '../api/sales-settlements-api.ts'
import type { Goods } from '../goods/held.ts'
import type { Reservations } from '../goods/reservations.ts'
import { createOrderBook } from '../orders/book.ts'
import { createOrderGoods } from '../orders/goods.ts'
import { createCustomerBook } from '../people/book.ts'
import type { Customer } from '../people/customers.ts'
import type { Strange } from '../strange.ts'
import type { Emit } from './emit.ts'
import { createSaleImport } from './import.ts'
import type { Pos } from './pos.ts'
import { createSettlements } from './settlements.ts'
import { createShelf } from './shelf.ts'

/** Settlements, imported sales, customers, online orders and odata: what the platform does about sales. */
export function createSalesOffice(
  { goods, reservations, strange }: { goods: Goods; reservations: Reservations; strange: Strange },
  pos: Pick<Pos, 'book' | 'move'>,
  now: () => number,
  emit: Emit,
  seeds: readonly Customer[],
) {
  const { book } = pos
  const shelf = createShelf(goods, book.moved)
  const settlements = createSettlements(book, now, emit)
  const customers = createCustomerBook(now, seeds)
  const keeps = () => strange.keepsForOrders
  const orders = createOrderBook(now, emit, createOrderGoods(goods, reservations, pos.move, keeps), strange)
  const imports = createSaleImport(pos, shelf, customers, emit)

  const router = Router()
  router.use(
    createSettlementsApi(settlements),
    imports.router,
    createCustomersApi(customers, emit),
    createOrdersApi(orders),
    createOdataApi({ sold: () => book.sold, moved: () => book.moved, shelf, now }),
  )

  return { router, settlements, customers, orders, importSale: imports.importSale, imported: imports.taken }
}

export type SalesOffice = ReturnType<typeof createSalesOffice>
