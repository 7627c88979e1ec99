import { expect, test } from 'vitest'
import { WholeOrder } from '../../../src/adapters/woocommerce/intake/order.ts'
import { storeOrder } from '../../../src/adapters/woocommerce/intake/store-order.ts'
import woocommerce from '../../../src/adapters/woocommerce/woocommerce.ts'
import type { OrdersCall } from '../../../src/ports/orders.ts'
import { act, declined, startWithOrder } from './given.ts'
import { askShop, KEY } from './shop.ts'

const IN_STORE = { payment_method: 'cod', set_paid: false, status: 'processing' }
const LINES = [
  { product_id: 11, quantity: 3 },
  { product_id: 12, quantity: 1 },
]

const decline = (argument: ReturnType<typeof declined>): OrdersCall => ({ port: 'orders', method: 'decline', argument })

test.each([1, 3])(
  'When a store declines %i pieces of an order that is to be paid there, then the shop’s word about it is no change',
  async (pieces) => {
    await using it = await startWithOrder({ ...IN_STORE, line_items: LINES })
    const options = woocommerce.options.parse({ url: it.shop.url, ...KEY })
    const said = async () => {
      const order = WholeOrder.parse(await askShop(it.shop, 'GET', `/orders/${it.order().id}`))
      return storeOrder(order, { type: 'pickup', place: 'Oslo City' }, options)
    }
    const before = await said()
    await act(it, decline(declined(it.number, pieces)))
    expect(it.order().lines).not.toHaveLength(0)
    expect(await said()).toEqual(before)
  },
)
