import { expect, test } from 'vitest'
import { deliveriesOf } from '../../hub.ts'
import { startWithOrders, type WithOrders } from './order-given.ts'

/* How much of a line was refunded already: whoever did it, and whatever the line was called. */

const SHIRT = '7090012340011'

/** The store's word about a customer's order of three shirts. */
function reported(world: WithOrders, orderNo: string, lines: object[]) {
  const order = { orderNo, id: `id-of-${orderNo}`, status: 'UnHandled', orderLines: lines }
  return world.hub.post('OmniChannelOrderUpdated', JSON.stringify({ order }))
}

const declined = (quantity: number, rowId: string | null, gtin = SHIRT) => ({
  quantity,
  gtin,
  rowId,
  status: 'Declined',
})

function piecesBack(world: WithOrders, order: Parameters<WithOrders['now']>[0]): number {
  const { refunds } = world.now(order)
  return refunds.flatMap(({ lines }) => lines).reduce((sum, { quantity }) => sum + Math.abs(quantity), 0)
}

test('When a person settles a declined piece by hand and skips it, then one declined later is refunded alone', async () => {
  await using world = await startWithOrders()
  const order = await world.shop.placeOrder({ lines: [{ sku: 'TEE-BLK-M', quantity: 3 }] })
  await reported(world, order.number, [declined(1, 'row-1', 'unknown')])
  await world.done()
  const [first] = await deliveriesOf(world.hub)
  expect(first).toMatchObject({ state: 'dead', flow: 'decline-goods' })
  await world.hub.admin('deliveries/skip', { filter: { id: first?.id }, reason: 'paid back by hand' })

  await reported(world, order.number, [declined(2, 'row-1')])
  await world.done()
  expect(piecesBack(world, order)).toBe(1)
})

test('When a person tries a skipped piece again, then it is refunded after all', async () => {
  await using world = await startWithOrders()
  const order = await world.shop.placeOrder({ lines: [{ sku: 'TEE-BLK-M', quantity: 3 }] })
  await world.hub.admin('destinations/shop/pause', {})
  await reported(world, order.number, [declined(1, 'row-1')])
  const [first] = await deliveriesOf(world.hub)
  await world.hub.admin('deliveries/skip', { filter: { id: first?.id }, reason: 'a mistake' })
  await world.hub.admin('destinations/shop/resume', {})
  await world.hub.admin('deliveries/retry', { filter: { id: first?.id }, reason: 'it was none' })
  await world.done()
  expect(piecesBack(world, order)).toBe(1)
})

test('When a line gets its row only later, or loses it, then it is not refunded again', async () => {
  await using world = await startWithOrders()
  const named = await world.shop.placeOrder({ lines: [{ sku: 'TEE-BLK-M', quantity: 3 }] })
  const unnamed = await world.shop.placeOrder({ lines: [{ sku: 'TEE-BLK-M', quantity: 3 }] })
  await reported(world, named.number, [declined(1, null)])
  await reported(world, named.number, [declined(1, 'row-1')])
  await reported(world, named.number, [declined(2, 'row-1')])
  await reported(world, unnamed.number, [declined(1, 'row-1')])
  await reported(world, unnamed.number, [declined(1, null)])
  await reported(world, unnamed.number, [declined(2, null)])
  await world.done()
  expect([named, unnamed].map((order) => piecesBack(world, order))).toEqual([2, 2])
})

test('When two rows of one article are declined one after the other, then both are refunded', async () => {
  await using world = await startWithOrders()
  const order = await world.shop.placeOrder({ lines: [{ sku: 'TEE-BLK-M', quantity: 3 }] })
  await reported(world, order.number, [declined(1, 'row-1')])
  await reported(world, order.number, [declined(1, 'row-1'), declined(1, 'row-2')])
  await reported(world, order.number, [declined(1, 'row-1'), declined(1, 'row-2'), declined(1, null)])
  await world.done()
  expect(piecesBack(world, order)).toBe(3)
})

test('When all of an order is Rejected, then its shipping is paid back with the last of the goods', async () => {
  await using world = await startWithOrders()
  const order = await world.shop.placeOrder({
    lines: [{ sku: 'TEE-BLK-M', quantity: 2 }, { sku: 'SOCKS-GRY' }],
    shipping: { method: 'flat_rate', cost: '49.00' },
  })
  const lines = [
    { quantity: 2, gtin: SHIRT, rowId: 'row-1', status: null },
    { quantity: 1, gtin: '7090012340059', rowId: 'row-2', status: null },
  ]
  const payload = { order: { orderNo: order.number, id: 'id-rejected', status: 'Rejected', orderLines: lines } }
  await world.hub.post('OmniChannelOrderUpdated', JSON.stringify(payload))
  await world.done()
  expect(world.now(order).refunds.map(({ amount, paidBack }) => ({ amount, paidBack }))).toEqual([
    { amount: '698.00', paidBack: true },
    { amount: '198.90', paidBack: true },
  ])
})

test('When an older step of an order is tried again by filter beside a newer one, then each piece is refunded once', async () => {
  await using world = await startWithOrders()
  const order = await world.shop.placeOrder({ lines: [{ sku: 'TEE-BLK-M', quantity: 5 }] })
  await world.hub.admin('destinations/shop/pause', {})
  await reported(world, order.number, [declined(1, 'row-1')])
  await world.hub.admin('deliveries/retry', { filter: { destination: 'shop' }, reason: 'repaired' })
  await reported(world, order.number, [declined(2, 'row-1')])
  await world.hub.admin('destinations/shop/resume', {})
  await world.done()
  expect(piecesBack(world, order)).toBe(2)
})
