import { expect, test } from 'vitest'
import { inAnyOrder } from './any-order-given.ts'
import { fateOf } from './online-given.ts'
import { recordOrder, startWithOrders } from './order-given.ts'

/** Laid ready, not fetched: the order says so, and the reservation of each article. */
const story = () =>
  recordOrder(
    (actions, orderNo) => {
      actions.pickOrder({ orderNo })
      actions.expireOrder({ orderNo })
    },
    { kinds: ['OmniChannelOrderUpdated', 'StockReservationExpired'] },
  )

test('When the four events of an order that nobody fetches come in any order, each of them twice, then it is off and paid back once', async () => {
  const events = await story()
  expect(events.map(({ kind }) => kind).toSorted()).toEqual([
    ...Array(2).fill('OmniChannelOrderUpdated'),
    ...Array(2).fill('StockReservationExpired'),
  ])
  await using world = await startWithOrders()
  const orders = await inAnyOrder(world, events)
  expect(orders).toHaveLength(8)
  expect(new Set(orders.map((order) => JSON.stringify(fateOf(order))))).toEqual(
    new Set([JSON.stringify({ status: 'cancelled', back: ['1 SOCKS-GRY paid back', '2 TEE-BLK-M paid back'] })]),
  )
  // One that was never laid ready for all that is known when it expires is not said to be.
  for (const { told, refunds } of orders) {
    expect(refunds).toHaveLength(1)
    expect(told.length === 1 || told.length === 2, told.join('\n')).toBe(true)
  }
})
