import { expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { orderUpdate, refundUpdate } from '../../fixtures/payloads.ts'
import { startTestHub } from '../../hub.ts'
import { startReceiver } from '../../sandbox/platform/given.ts'
import { startWithOrders } from './order-given.ts'

const BUS = { adapter: 'http', secret: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=', publish: 'all' as const }

test('When an order gets a status that nobody knows, then that is held by name although a bus took it, and what comes next goes on', async () => {
  await using bus = await startReceiver()
  await using world = await startWithOrders({ destinations: { bus: { ...BUS, url: bus.url } } })
  const order = await world.order()
  const about = { orderNo: order.number }
  await world.hub.post('OmniChannelOrderUpdated', orderUpdate({ ...about, status: 'Parked' }), { eventId: 'parked' })
  await world.hub.post('OmniChannelOrderUpdated', orderUpdate({ ...about, status: 'Parked' }), {
    eventId: 'parked-again',
  })
  await world.hub.post('OmniChannelOrderUpdated', orderUpdate({ ...about, status: 'Shipped' }), { eventId: 'shipped' })
  await eventually(() => expect(world.now(order).status).toBe('completed'))
  await eventually(() => expect(bus.bodies.length).toBeGreaterThanOrEqual(2))
  expect(await world.held()).toMatchObject({
    destination: 'shop',
    flow: 'order-unread',
    why: expect.stringContaining(`the status of order ${order.number} is called Parked`),
  })
})

test('an order that is Expired with lines called Expired is acted on, and not held besides; one whose line alone is, is held', async () => {
  await using world = await startWithOrders()
  const [expired, picked] = [await world.order(), await world.order()]
  const update = (orderNo: string, status: string) =>
    orderUpdate({
      orderNo,
      status,
      orderLines: [{ gtin: '7090012340011', quantity: 2, rowId: null, status: 'Expired' }],
    })
  await world.hub.post('OmniChannelOrderUpdated', update(expired.number, 'Expired'), { eventId: 'expired' })
  await eventually(() => expect(world.now(expired).status).toBe('cancelled'))
  await world.hub.post('OmniChannelOrderUpdated', update(picked.number, 'Picked'), { eventId: 'picked' })
  await world.done()
  const held = await world.hub.hub.storage.deliveries({ state: 'held' })
  expect(held).toMatchObject([{ flow: 'order-unread', why: expect.stringContaining(`order ${picked.number}`) }])
})

test.each([
  ['an order without a number', 'OmniChannelOrderUpdated', orderUpdate({ orderNo: null }), 'orderNo or status'],
  [
    'a refund that does not say who pays',
    'OmniChannelOrderRefundUpdated',
    refundUpdate({ isRefunded: 'no' }),
    'isRefunded',
  ],
])('When %s comes, then it is held and says what is missing', async (_, kind, payload, missing) => {
  await using world = await startWithOrders()
  await world.hub.post(kind, payload, { eventId: 'one' })
  expect(await world.held()).toMatchObject({ flow: 'order-unread', why: expect.stringContaining(missing) })
})

test.each([
  ['null', null],
  ['an empty list', []],
  ['not there', undefined],
  ['no list', { quantity: 1, gtin: '7090012340011', status: 'Returned' }],
])(
  'When the goods of a refund are %s, then it is held once, as one that the shop must pay or note',
  async (_, orderLines) => {
    await using world = await startWithOrders()
    const tell = (isRefunded: boolean, eventId: string) =>
      world.hub.post('OmniChannelOrderRefundUpdated', refundUpdate({ orderLines, isRefunded, id: 'R-1' }), { eventId })
    await tell(false, 'pending')
    await tell(false, 'owed-again')
    await tell(true, 'paid')
    const rows = await eventually(async () => {
      const held = await world.hub.hub.storage.deliveries({ state: 'held' })
      expect(held).toHaveLength(2)
      return held
    })
    expect(rows.map(({ flow }) => flow)).toEqual(['order-unread', 'order-unread'])
    const whys = rows.map(({ why }) => why).sort()
    expect(whys[1]).toMatch(/^the refund R-1 of order A1 names no goods, and the shop must give the money back:/)
    expect(whys[0]).toMatch(/^the refund R-1 of order A1 names no goods, and the POS has given the money back:/)
  },
)

test('When no system has orders, then nothing is held for what an order says', async () => {
  await using bus = await startReceiver()
  await using hub = await startTestHub({ destinations: { bus: { ...BUS, url: bus.url } } })
  await hub.post('OmniChannelOrderUpdated', orderUpdate({ status: 'Parked' }), { eventId: 'one' })
  await eventually(() => expect(bus.bodies).toHaveLength(1))
  expect(await hub.hub.storage.deliveries({ flow: 'order-unread' })).toEqual([])
})
