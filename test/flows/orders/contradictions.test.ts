import { expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { endlessAisle, orderUpdate, refundUpdate, saleLine } from '../../fixtures/payloads.ts'
import { startWithOrders, type WithOrders } from './order-given.ts'

const SHIRT = '7090012340011'
const SOCKS = '7090012340059'
const UPDATED = 'OmniChannelOrderUpdated'

/** The line of an order's article, as a store's staff left it. */
const line = (gtin: string, quantity: number, status: string) => ({ gtin, quantity, rowId: gtin, status })

test('When goods were declined, and the customer is said to have them all the same, then no payment is taken before a person has looked', async () => {
  await using world = await startWithOrders()
  const order = await world.order()
  const update = (status: string, socks: string) =>
    orderUpdate({ orderNo: order.number, status, orderLines: [line(SHIRT, 2, 'Picked'), line(SOCKS, 1, socks)] })
  await world.hub.post(UPDATED, update('Picked', 'Declined'), { eventId: 'declined' })
  await eventually(() => expect(world.now(order).refunds).toHaveLength(1))
  await world.hub.post(UPDATED, update('Shipped', 'Picked'), { eventId: 'fetched' })
  const one = await world.held()
  expect(one).toMatchObject({ flow: 'order-collected', code: 'contradiction' })
  expect(one.why).toContain(`the customer has the line ${SOCKS} of order ${order.number}, which it had declined`)
  expect(world.now(order).status).not.toBe('completed')

  await world.hub.admin('deliveries/release', { filter: { id: one.id }, reason: 'the store says socks were found' })
  await eventually(() => expect(world.now(order).status).toBe('completed'))
})

test('When a parcel is announced again with more in it, then that is held for a person, and the shop has the first word', async () => {
  await using world = await startWithOrders()
  const order = await world.order()
  const update = (...gtins: string[]) =>
    orderUpdate({
      orderNo: order.number,
      status: 'Shipped',
      orderLines: [line(SHIRT, 2, 'Picked')],
      fulfillmentLocation: {
        stockId: 12,
        stockName: 'Oslo City',
        shipments: [{ id: 'parcel-1', items: gtins.map((gtin) => ({ gtin })) }],
      },
    })
  await world.hub.post(UPDATED, update(SHIRT, SHIRT), { eventId: 'first' })
  await world.hub.post(UPDATED, update(SHIRT, SHIRT), { eventId: 'again' })
  await world.done()
  await world.hub.post(UPDATED, update(SHIRT, SOCKS, SHIRT), { eventId: 'more' })
  expect(await world.held()).toMatchObject({
    flow: 'create-shipment',
    code: 'contradiction',
    why: expect.stringContaining('the parcel parcel-1'),
  })
  expect(world.now(order).notes.filter((note) => note.includes('parcel-1'))).toHaveLength(1)
})

test('When an order was called expired, and the customer has it, and the platform cannot tell, then that is held for a person', async () => {
  await using world = await startWithOrders()
  const order = await world.order()
  const update = (status: string) => orderUpdate({ orderNo: order.number, status })
  await world.hub.post(UPDATED, update('Expired'), { eventId: 'expired' })
  await eventually(() => expect(world.now(order).status).toBe('cancelled'))
  await world.hub.post(UPDATED, update('Shipped'), { eventId: 'fetched' })
  expect(await world.held()).toMatchObject({
    flow: 'order-collected',
    code: 'contradiction',
    why: expect.stringContaining('If its money was refunded, the goods went for nothing'),
  })
})

const ordered = (orderNo: string) =>
  endlessAisle({
    orderNo,
    receiptNo: `R-${orderNo}`,
    orderLines: [
      saleLine({ shipFromOnlineStore: true, gtin: SHIRT, sku: 'TEE-BLK-M', quantity: 2, price: 349, total: 698 }),
    ],
    total: 698,
    paymentLines: [{ type: 'Card', subType: 'Visa', text: '', amount: 698 }],
  })

/** One of them came back, and the shop is to pay it back. */
const returned = (orderNo: string) =>
  refundUpdate({
    orderNo,
    id: `00000000-0000-4000-8000-${orderNo.replace(/\D/g, '').padStart(12, '0')}`,
    isRefunded: false,
    orderLines: [{ gtin: SHIRT, quantity: 1, id: null, status: 'Returned' }],
  })

async function states(world: WithOrders, flow: string) {
  const rows = await world.hub.hub.storage.deliveries({ flow })
  return rows.map(({ state }) => state)
}

for (const [name, oneByOne] of [
  ['one by one', true],
  ['in a burst', false],
] as const)
  test(`When goods of a POS’s order come back before the order itself is told, ${name}, then they are paid back once the shop has it`, async () => {
    await using world = await startWithOrders({}, { refundPayments: false })
    await world.hub.post('OmniChannelOrderRefundUpdated', returned('EA-4321'), { eventId: 'refund' })
    if (oneByOne)
      await eventually(async () => {
        const [refund] = await world.hub.hub.storage.deliveries({ flow: 'refund-goods' })
        expect(refund).toMatchObject({ state: 'waiting', why: expect.stringContaining('waits for it') })
      })
    await world.hub.post('OmniChannelEndlessAisleOrderCreated', ordered('EA-4321'), { eventId: 'order' })
    await world.done()
    expect(await states(world, 'refund-goods')).toEqual(['delivered'])
    const [order] = world.shop.orders()
    expect(order?.refunds.map(({ amount }) => amount)).toEqual(['349.00'])
  })
