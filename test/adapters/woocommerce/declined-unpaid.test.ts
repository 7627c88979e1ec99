import { expect, test } from 'vitest'
import { storeOrder } from '../../../src/adapters/woocommerce/intake-items.ts'
import { WholeOrder } from '../../../src/adapters/woocommerce/shop-order.ts'
import woocommerce from '../../../src/adapters/woocommerce/woocommerce.ts'
import type { OrdersCall } from '../../../src/ports/ports.ts'
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

test('When the shop takes the rest off after a store declined a part, then that is a change: no store hands the rest out', async () => {
  await using it = await startWithOrder({ ...IN_STORE, line_items: LINES })
  const options = woocommerce.options.parse({ url: it.shop.url, ...KEY })
  const said = async () => {
    const order = WholeOrder.parse(await askShop(it.shop, 'GET', `/orders/${it.order().id}`))
    return storeOrder(order, { type: 'pickup', place: 'Oslo City' }, options)
  }
  await act(it, decline(declined(it.number, 1)))
  const [line] = it.order().lines
  await askShop(it.shop, 'PUT', `/orders/${it.order().id}`, { line_items: [{ id: line?.id, quantity: 0 }] })
  expect(it.order().lines).toHaveLength(1)
  expect((await said())?.orderLines).toMatchObject([{ quantity: '1' }, { quantity: '1' }])
})
