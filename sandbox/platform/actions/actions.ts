import type { Goods } from '../goods/held.ts'
import type { GoodsOffice } from '../goods/office.ts'
import type { Emit } from '../sales/emit.ts'
import type { SalesOffice } from '../sales/office.ts'
import type { Till } from '../sales/till.ts'
import type { Actions } from './all.ts'
import { createCustomerActions } from './customers.ts'
import { createGoodsActions } from './goods.ts'
import { createOrderActions } from './orders.ts'
import { createSaleActions } from './sales.ts'

/** The parts that the actions are done with. */
interface Means {
  till: Till
  goods: Goods
  goodsOffice: GoodsOffice
  salesOffice: SalesOffice
  now: () => number
  emit: Emit
}

export function createActions({ till, goods, goodsOffice, salesOffice, now, emit }: Means): Actions {
  return {
    ...createSaleActions(till, salesOffice, now, emit),
    ...createCustomerActions(till, salesOffice.customers, emit),
    ...createGoodsActions(till, goods, goodsOffice, now, emit),
    ...createOrderActions(till, salesOffice.orders),
  }
}
