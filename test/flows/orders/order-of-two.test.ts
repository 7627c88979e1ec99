import { describe, expect, test } from 'vitest'
import { createTestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { endlessAisle, orderUpdate, refundUpdate, saleLine } from '../../fixtures/payloads.ts'
import { deliveriesOf } from '../../hub.ts'
import { startPlatformServer } from '../../platform/server.ts'
import { givenPlatform, HEADERS, startReceiver, subscribe } from '../../sandbox/platform/given.ts'
import { inFlight } from '../days/open-store.ts'
import { startWithOrders } from './order-given.ts'

/* An order whose number says less than it seems to: another one has it, or whether it is fetched or sent is contradicted. */

const ENDLESS = 'OmniChannelEndlessAisleOrderCreated'
const RETURNED = 'OmniChannelOrderRefundUpdated'
const SHIRT = '7090012340011'
const keys = { apiKey: HEADERS['x-api-key'], subscriptionKey: HEADERS['ocp-apim-subscription-key'] }

/** The first order of the shop, that of the web, has this number. */
function webOrder(number: string) {
  const numbers = [number]
  return (id: number) => numbers.shift() ?? `S-${id}`
}

describe('a refund of a number under which a POS has made an order that has not come here', () => {
  /** The platform's log has both; only the refund is told to the hub. */
  async function begin() {
    await using opened = new AsyncDisposableStack()
    const platform = opened.use(await givenPlatform({ seedCatalogue: false }))
    const receiver = opened.use(await startReceiver())
    for (const kind of [ENDLESS, RETURNED]) await subscribe(platform, kind, `${receiver.url}${kind}`)
    platform.actions.endlessAisle({ lines: [{ sku: 'TEE-BLK-M' }] })
    await platform.settled()
    const creation = receiver.bodies[0] as unknown as { orderNo: string; orderLines: { gtin: string }[] }
    const { orderNo } = creation
    platform.actions.returnOrder({ orderNo, sku: 'TEE-BLK-M', isRefunded: false })
    await platform.settled()
    const clock = createTestClock()
    const config = { platform: { baseUrl: platform.apiUrl, ...keys, trustWebhooks: false } }
    const world = opened.use(await startWithOrders({ clock, config }, { refundPayments: false }, webOrder(orderNo)))
    const web = await world.order()
    const refund = receiver.bodies[1]
    const open = opened.move()
    return { ...world, clock, web, creation, refund, [Symbol.asyncDispose]: () => open.disposeAsync() }
  }

  async function refundOf({ hub }: Awaited<ReturnType<typeof begin>>, state: string) {
    return await eventually(async () => {
      const found = (await deliveriesOf(hub)).find(({ flow }) => flow === 'refund-goods')
      expect(found).toMatchObject({ state })
      return found
    })
  }

  test('it waits, and is held once the order has come: both have the goods, and neither is paid back', async () => {
    await using world = await begin()
    await world.hub.post(RETURNED, world.refund, { eventId: 'refund' })
    await eventually(async () => expect((await refundOf(world, 'waiting'))?.code).toBe('ambiguous-order'))
    expect((await refundOf(world, 'waiting'))?.why).toContain(
      `the platform's event log has an order ${world.creation.orderNo} of a POS`,
    )
    await world.hub.post(ENDLESS, world.creation, { eventId: 'creation' })
    await eventually(() => expect(world.shop.orders()).toHaveLength(2))
    await eventually(async () => {
      if ((await inFlight(world.hub)) === 0) world.clock.advance(60_000)
      expect(await refundOf(world, 'held')).toMatchObject({ code: 'ambiguous-order' })
    })
    expect((await refundOf(world, 'held'))?.why).toContain(`${world.web.id} (a web order)`)
    expect(world.shop.orders().flatMap(({ refunds }) => refunds)).toEqual([])
  })

  test('it is held after a day, where the order does not come, and nobody is paid back', async () => {
    await using world = await begin()
    await world.hub.post(RETURNED, world.refund, { eventId: 'refund' })
    await eventually(async () => expect((await refundOf(world, 'waiting'))?.code).toBe('ambiguous-order'))
    world.clock.advance(25 * 3_600_000)
    expect(await refundOf(world, 'held')).toMatchObject({
      code: 'ambiguous-order',
      why: expect.stringContaining('It did not come within a day'),
    })
    expect(world.now(world.web).refunds).toEqual([])
  })
})

describe('an order of a POS that comes after money was moved under its number', () => {
  const sold = (gtin: string) =>
    endlessAisle({
      orderNo: '1',
      orderLines: [saleLine({ shipFromOnlineStore: true, gtin, externalSKU: 'TEE-BLK-M' })],
    })

  test('it is held, and says by which refund, where it has the goods; released, it is made', async () => {
    await using world = await startWithOrders({}, { refundPayments: false }, webOrder('1'))
    const web = await world.order()
    await world.hub.post(RETURNED, refundUpdate({ orderNo: '1', id: 'R-7' }), { eventId: 'refund' })
    await world.done()
    expect(world.now(web).refunds).toHaveLength(1)
    await world.hub.post(ENDLESS, sold(SHIRT), { eventId: 'creation' })
    const held = await world.held()
    expect(held).toMatchObject({ flow: 'create-order', code: 'ambiguous-order', why: expect.stringContaining('R-7') })
    await world.hub.admin('deliveries/release', { filter: { id: held.id }, reason: 'the refund was of the web order' })
    await world.done()
    expect(world.shop.orders()).toHaveLength(2)
  })

  test('it is made where it has other goods', async () => {
    await using world = await startWithOrders({}, { refundPayments: false }, webOrder('1'))
    await world.order()
    await world.hub.post(RETURNED, refundUpdate({ orderNo: '1', id: 'R-7' }), { eventId: 'refund' })
    await world.done()
    await world.hub.post(ENDLESS, sold('7090012340028'), { eventId: 'creation' })
    await world.done()
    expect(world.shop.orders()).toHaveLength(2)
  })
})

describe('a web order that no own system submitted, and whose record has an address', () => {
  async function begin(more: object) {
    await using opened = new AsyncDisposableStack()
    const server = opened.use(await startPlatformServer())
    const config = { platform: { baseUrl: server.url, ...keys, trustWebhooks: false } }
    const world = opened.use(await startWithOrders({ config }))
    const order = await world.order()
    const { orderLines } = orderUpdate().order
    const record = { orderNo: order.number, orderLines, shippingAddress: { address1: 'Torget 1', city: 'Bergen' } }
    server.play({ body: { ...record, status: 'Shipped', ...more } }, '/api/OmniChannel')
    server.play({ body: { ...record, status: 'Shipped', ...more } }, '/api/Omnichannel')
    const open = opened.move()
    return { ...world, placed: order, [Symbol.asyncDispose]: () => open.disposeAsync() }
  }

  test('nobody is told to come, and nothing is captured before an operator says that the customer fetches it', async () => {
    await using world = await begin({})
    const { number } = world.placed
    await world.hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: number, status: 'Picked' }))
    for (const flow of ['order-ready', 'order-collected']) {
      if (flow === 'order-collected')
        await world.hub.post('OmniChannelOrderFulfilled', orderUpdate({ orderNo: number, status: 'Shipped' }))
      const held = await world.held({ flow })
      expect(held).toMatchObject({ code: 'fetched-or-sent' })
      expect(world.now(world.placed).status).toBe('processing')
      if (flow === 'order-ready') expect(world.now(world.placed).reported).toEqual([])
      await world.hub.admin('deliveries/release', { filter: { id: held.id }, reason: 'it is fetched' })
    }
    await eventually(() => expect(world.now(world.placed).status).toBe('completed'))
  })

  test('its type says that it is fetched: then the payment is captured', async () => {
    await using world = await begin({ orderType: 'BOPIS' })
    await world.hub.post('OmniChannelOrderFulfilled', orderUpdate({ orderNo: world.placed.number, status: 'Shipped' }))
    await eventually(() => expect(world.now(world.placed).status).toBe('completed'))
  })
})
