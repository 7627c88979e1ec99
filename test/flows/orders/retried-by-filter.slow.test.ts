import { expect, test } from 'vitest'
import { startShop } from '../../../sandbox/shop/shop.ts'
import { createTestClock } from '../../clock.ts'
import { openDoor } from '../../door.ts'
import { eventually } from '../../eventually.ts'
import { endlessAisle, orderUpdate, refundUpdate } from '../../fixtures/payloads.ts'
import { busTo, deliveriesOf, startTestHub } from '../../hub.ts'
import { untilAll } from '../../queue/kit/kit.ts'
import { startSink } from '../../sink.ts'

/* What a person tries again by filter goes out before what builds on it, however much of that waits. */

const KEY = { consumerKey: 'ck_of_the_tests', consumerSecret: 'cs_of_the_tests' }
const ORDERS = Array.from({ length: 20 }, (_, n) => `EA-${100 + n}`)

/** A refusal that names a field is the order's own, however many are refused so. */
const REFUSED = {
  status: 400,
  body: '{"code":"rest_invalid_param","data":{"params":{"line_items":"a plugin refuses it"}}}',
}

/** A hub before a shop whose door a test may shut for new orders. */
async function startWithDoor() {
  const clock = createTestClock()
  await using opened = new AsyncDisposableStack()
  const products = [{ name: 'T-shirt', sku: 'TEE-BLK-M', globalUniqueId: '7090012340011', price: '349.00' }]
  const shop = opened.use(await startShop({ ...KEY, products }))
  const door = opened.use(await openDoor(shop.url))
  const hub = opened.use(
    await startTestHub({
      destinations: { shop: { adapter: 'woocommerce', url: door.url, ...KEY, queue: { concurrency: 8 } } },
      clock,
    }),
  )
  const open = opened.move()
  return {
    shop,
    hub,
    door,
    clock,
    async create(orders: readonly string[]) {
      for (const [n, orderNo] of orders.entries())
        await hub.post('OmniChannelEndlessAisleOrderCreated', endlessAisle({ orderNo, receiptNo: `${2000 + n}` }))
    },
    async bringBack(orders: readonly string[]) {
      for (const orderNo of orders) {
        const refund = { orderNo, id: `refund of ${orderNo}`, isRefunded: true }
        await hub.post('OmniChannelOrderRefundUpdated', refundUpdate(refund))
      }
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

type WithDoor = Awaited<ReturnType<typeof startWithDoor>>

/** Every order was made once, and what came back is noted once. */
async function expectAllMadeAndNoted({ hub, shop }: WithDoor) {
  await untilAll(hub, 'delivered', 2 * ORDERS.length)
  expect(shop.orders().map(({ refunds }) => refunds.length)).toEqual(ORDERS.map(() => 1))
}

test('When 20 orders of POS were refused while the shop was broken, and are retried by filter, then each is there before its refund, whether that waits or comes', async () => {
  await using world = await startWithDoor()
  const { hub, door } = world
  door.judge = ({ line }) => (line.startsWith('POST') ? REFUSED : null)
  await world.create(ORDERS)
  await untilAll(hub, 'dead', ORDERS.length)
  await hub.admin('destinations/shop/pause', {})
  await world.bringBack(ORDERS.slice(0, 10))
  door.judge = () => null
  const filter = { destination: 'shop', state: 'dead' }
  const retried = await hub.admin('deliveries/retry', { filter, reason: 'repaired' })
  expect(retried.body).toMatchObject({ changed: ORDERS.length })
  await world.bringBack(ORDERS.slice(10))
  await hub.admin('destinations/shop/resume', {})
  await expectAllMadeAndNoted(world)
})

test('When their refunds wait for them, then all is retried by filter in the order in which it came', async () => {
  await using world = await startWithDoor()
  const { hub, door, clock } = world
  door.judge = ({ line }) => (line.startsWith('POST') ? REFUSED : null)
  // On a slow machine a refund would be tried of itself meanwhile, and one that is under way is not tried again.
  await clock.active(async () => {
    await world.create(ORDERS)
    await world.bringBack(ORDERS)
    await eventually(async () => {
      const rows = await deliveriesOf(hub)
      const refunds = rows.filter(
        ({ flow, state, why }) => flow === 'note-refund' && state === 'waiting' && why !== null,
      )
      expect(refunds).toHaveLength(ORDERS.length)
      expect(rows.filter(({ state }) => state === 'dead')).toHaveLength(ORDERS.length)
    })
    door.judge = () => null
    const { body } = await hub.admin('deliveries/retry', { filter: { destination: 'shop' }, reason: 'repaired' })
    expect(body).toMatchObject({ changed: 2 * ORDERS.length })
  })
  await expectAllMadeAndNoted(world)
  expect((await deliveriesOf(hub)).every(({ urgency, yields }) => urgency === 'prompt' && yields)).toBe(true)
})

test('When the states of an order that a bus refused are retried by filter, then it gets them before the one that waits', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
  sink.play({ status: 400 })
  for (const status of ['UnHandled', 'Picked']) await hub.post('OmniChannelOrderUpdated', orderUpdate({ status }))
  await untilAll(hub, 'dead', 2)
  await hub.admin('destinations/bus/pause', {})
  await hub.post('OmniChannelOrderUpdated', orderUpdate({ status: 'Shipped' }))
  sink.play({ status: 200 })
  await hub.admin('deliveries/retry', { filter: { state: 'dead' }, reason: 'repaired' })
  await hub.admin('destinations/bus/resume', {})
  await untilAll(hub, 'delivered', 3)
  const got = sink.received.slice(2).map(({ body }) => JSON.parse(body).order.status)
  expect(got).toEqual(['UnHandled', 'Picked', 'Shipped'])
})
