import { expect, test } from 'vitest'
import { inAnyOrder } from './any-order-given.ts'
import { fateOf } from './online-given.ts'
import { recordOrder, startWithOrders } from './order-given.ts'

/** One article declined, the rest packed (two events), one piece brought back for the shop to pay. */
const story = () =>
  recordOrder(
    (actions, orderNo) => {
      actions.declineOrder({ orderNo, sku: 'SOCKS-GRY' })
      actions.packOrder({ orderNo })
      actions.returnOrder({ orderNo, sku: 'TEE-BLK-M', quantity: 1, isRefunded: false })
    },
    { ship: true },
  )

test('When the four events of an order that a store sends come in any order, each of them twice, then shipments and refunds are the same', async () => {
  const events = await story()
  expect(events).toHaveLength(4)
  await using world = await startWithOrders()
  const orders = await inAnyOrder(world, events)
  expect(orders).toHaveLength(8)
  const fates = orders.map((order) => {
    const parcels = order.notes.filter((note) => note.startsWith('Parcel ')).map((note) => note.replace(/^.*: /, ''))
    return JSON.stringify({ ...fateOf(order), parcels })
  })
  expect([...new Set(fates)].map((fate) => JSON.parse(fate))).toEqual([
    {
      status: 'completed',
      back: ['1 SOCKS-GRY paid back', '1 TEE-BLK-M paid back'],
      parcels: ['2 × T-shirt (7090012340011)'],
    },
  ])
})
