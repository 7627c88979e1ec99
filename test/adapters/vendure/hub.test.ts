import { expect, test } from 'vitest'
import { createTestClock } from '../../clock.ts'
import { orderUpdate, refundUpdate } from '../../fixtures/payloads.ts'
import { startTestHub } from '../../hub.ts'
import { middle, SECOND, untilDelivery } from '../../queue/kit/kit.ts'
import { callOf, createKit, GOODS, make, optionsFor, startStandIn } from './kit.ts'

const [TEE] = GOODS

/** A hub with a shop in which a pickup order lies. */
async function startWithOrder() {
  const open = new AsyncDisposableStack()
  const shop = open.use(await startStandIn())
  const kit = open.use(await createKit(shop))
  const clock = createTestClock()
  const destinations = { shop: { adapter: 'vendure', ...optionsFor(kit.proxy.url) } }
  const hub = open.use(await startTestHub({ destinations, clock, random: middle }))
  const order = await shop.place({ lines: [{ sku: TEE.sku, quantity: 1 }], shipping: 'pickup', store: 'oslo' })
  return { kit, hub, clock, order, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

test('When a refund was cut off and the store pays at the POS instead, then the shop does not pay a second time', async () => {
  await using world = await startWithOrder()
  const { kit, hub, clock, order } = world
  await make(kit, callOf.collected(order))
  const returned = refundUpdate({ orderNo: order.code, isRefunded: false })
  kit.proxy.cut('{ refundOrder(')
  await hub.post('OmniChannelOrderRefundUpdated', returned)
  await untilDelivery(hub, 1, ({ attempts, state }) => attempts.length === 1 && state === 'waiting')
  await hub.post('OmniChannelOrderRefundUpdated', refundUpdate({ orderNo: order.code, isRefunded: true }))
  clock.advance(60 * SECOND)
  const { flow, code } = await untilDelivery(hub, 1, ({ state }) => state === 'superseded')
  expect([flow, code]).toEqual(['refund-goods', 'invalidated'])
  await untilDelivery(hub, 2, ({ state }) => state === 'delivered')
  expect((await kit.order(order.id)).payments).toMatchObject([{ state: 'Settled', refunds: [] }])
})

test('When a message was cut off and the order is collected meanwhile, then the customer is not told to come', async () => {
  await using world = await startWithOrder()
  const { kit, hub, clock, order } = world
  kit.proxy.cut('{ addNoteToOrder(')
  await hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: order.code, status: 'Picked' }))
  await untilDelivery(hub, 1, ({ attempts, state }) => attempts.length === 1 && state === 'waiting')
  await hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: order.code, status: 'Shipped' }))
  clock.advance(60 * SECOND)
  await untilDelivery(hub, 1, ({ state }) => state === 'superseded')
  const { history } = await kit.order(order.id)
  expect(history.items.filter(({ type }) => type === 'ORDER_NOTE')).toEqual([])
})
