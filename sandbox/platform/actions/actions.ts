import type { Goods } from '../goods/held.ts'
import type { GoodsOffice } from '../goods/office.ts'
import type { Emit } from '../sales/emit.ts'
import type { SalesOffice } from '../sales/office.ts'
import type { Pos } from '../sales/pos.ts'
import type { Actions } from './all.ts'
import { createCustomerActions } from './customers.ts'
import { createGoodsActions } from './goods.ts'
import { createOrderActions } from './orders.ts'
import { createSaleActions } from './sales.ts'

/** The parts that the actions are done with. */
interface Means {
  pos: Pos
  goods: Goods
  goodsOffice: GoodsOffice
  salesOffice: SalesOffice
  now: () => number
  emit: Emit
}

export function createActions({ pos, goods, goodsOffice, salesOffice, now, emit }: Means): Actions {
  return {
    ...createSaleActions(pos, salesOffice, now, emit),
    ...createCustomerActions(pos, salesOffice.customers, emit),
    ...createGoodsActions(pos, goods, goodsOffice, now, emit),
    ...createOrderActions(pos, salesOffice.orders),
  }
}
