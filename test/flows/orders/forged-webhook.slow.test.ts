import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import type { ShopOrder } from '../../../sandbox/shop/records.ts'
import { createTestClock } from '../../clock.ts'
import { apiAt, onlyIn } from '../../dialect.ts'
import { openDoor } from '../../door.ts'
import { eventually } from '../../eventually.ts'
import { endlessAisle, orderUpdate, refundUpdate, shippedOrderUpdate } from '../../fixtures/payloads.ts'
import { createFolder, deliveriesOf, type Given, type TestHub, WEBHOOK_TOKEN } from '../../hub.ts'
import { givenPlatform, HEADERS, subscribe } from '../../sandbox/platform/given.ts'
import { inFlight } from '../days/open-store.ts'
import { ARTICLES, startWithOrders } from './order-given.ts'

/* Whoever has the token of the webhooks, which stands in a URL, can say anything of any order. */

const UPDATED = 'OmniChannelOrderUpdated'
const FULFILLED = 'OmniChannelOrderFulfilled'
const RETURNED = 'OmniChannelOrderRefundUpdated'
const RELEASED = 'StockReservationExpired'
const SHIRT = '7090012340011'

/** A shop, a hub, and the platform that the hub asks through a door; the platform's webhooks reach the hub. */
async function openWorld(platformGiven: NonNullable<Given['config']>['platform'] = {}) {
  await using opened = new AsyncDisposableStack()
  const platform = opened.use(await givenPlatform({ seedCatalogue: false }))
  const door = opened.use(await openDoor(platform.url))
  const clock = createTestClock()
  const keys = { apiKey: HEADERS['x-api-key'], subscriptionKey: HEADERS['ocp-apim-subscription-key'] }
  const asksBy = { baseUrl: apiAt(door.url), ...keys, ...platformGiven }
  const world = opened.use(await startWithOrders({ clock, random: () => 0.5, config: { platform: asksBy } }))
  const { hub } = world
  for (const kind of [UPDATED, FULFILLED, RETURNED])
    await subscribe(platform, kind, `${hub.url}/webhooks/${kind}?token=${WEBHOOK_TOKEN}`)
  const open = opened.move()
  return {
    ...world,
    platform,
    door,
    clock,
    asksBy,
    /** An order of the shop that the platform has, too. */
    async known(): Promise<ShopOrder> {
      const order = await world.order()
      platform.actions.placeOrder({ lines: ARTICLES, orderNo: order.number })
      return order
    },
    /** Waits, by the clock, until what is owed is in these states. */
    async until(...states: string[]) {
      await platform.settled()
      await eventually(async () => {
        if ((await inFlight(hub)) === 0) clock.advance(10_000)
        expect((await pending(hub)).map(({ state }) => state)).toEqual(states)
      })
      return await pending(hub)
    },
    /** What the hub has asked about orders, and how often it has read the event log. */
    asked: () => ({
      orders: door.passed.filter(({ line }) => /^GET \/api\/omnichannel\?/i.test(line)).length,
      logs: door.passed.filter(({ line }) => line.startsWith('GET /api/WebhooksEvents/')).length,
    }),
    expectUntouched(order: ShopOrder) {
      expect(world.now(order)).toMatchObject({ status: 'processing', refunds: [], reported: [] })
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

async function pending(hub: TestHub) {
  return (await deliveriesOf(hub)).toReversed().map(({ flow, state, why }) => ({ flow, state, why }))
}

function refundOf({ number }: ShopOrder, given: object = {}) {
  return refundUpdate({ orderNo: number, id: `refund-of-${number}`, isRefunded: false, ...given })
}

test('a forged order of a POS: When the platform never sent such a sale, then no order is made of it; one that it did send becomes an order', async () => {
  await using world = await openWorld()
  const kind = 'OmniChannelEndlessAisleOrderCreated'
  await subscribe(world.platform, kind, `${world.hub.url}/webhooks/${kind}?token=${WEBHOOK_TOKEN}`)
  await world.hub.post(kind, endlessAisle({ orderNo: 'EA-FORGED' }))
  const [forged] = await world.until('held')
  expect(forged).toMatchObject({
    flow: 'create-order',
    why: expect.stringContaining('does not know the sale of order EA-FORGED: its event log has no such'),
  })
  expect(world.shop.orders()).toEqual([])
  world.platform.actions.endlessAisle()
  await world.until('held', 'delivered')
  expect(world.shop.orders()).toHaveLength(1)
})

describe('a forged refund', () => {
  test('When it is of an order that the platform does not know, then it is held, says so, and no money moves', async () => {
    await using world = await openWorld()
    const order = await world.order()
    await world.hub.post(RETURNED, refundOf(order))
    const [refund] = await world.until('held')
    expect(refund).toMatchObject({
      flow: 'refund-goods',
      why: expect.stringContaining(`does not know the refund refund-of-${order.number} of order ${order.number}`),
    })
    world.expectUntouched(order)
    const { body } = await world.hub.admin<{ destinations: { name: string; held: number }[] }>('status')
    expect(body.destinations.filter(({ name }) => name === 'shop').map(({ held }) => held)).toContain(1)
  })

  test('When the platform knows the order, and another refund of it, then that one is paid, and the forged one is not', async () => {
    await using world = await openWorld()
    const order = await world.known()
    world.platform.actions.returnOrder({ orderNo: order.number, sku: 'TEE-BLK-M', isRefunded: false })
    await world.until('delivered')
    await world.hub.post(RETURNED, refundOf(order))
    await world.hub.post(RETURNED, refundOf(order, { isRefunded: true, id: 'noted' }))
    await world.until('delivered', 'held', 'waiting')
    expect(world.now(order).refunds).toMatchObject([{ amount: '349.00', paidBack: true }])
  })

  test('When it makes a real refund bigger, then only what really came back is paid', async () => {
    await using world = await openWorld()
    const order = await world.order()
    world.platform.actions.returnOrder({ orderNo: order.number, gtin: SHIRT, isRefunded: false })
    await world.until('delivered')
    const [real] = await loggedRefunds(world.hub)
    await world.hub.post(RETURNED, {
      refund: { ...real, orderLines: [{ quantity: 2, gtin: SHIRT, id: null, status: 'Returned' }] },
    })
    await world.until('delivered', 'held')
    expect(world.now(order).refunds).toMatchObject([{ amount: '349.00' }])
  })
})

async function loggedRefunds(hub: TestHub): Promise<object[]> {
  const { events } = (await hub.admin<{ events: { id: number }[] }>(`events?kind=${RETURNED}`)).body
  const bodies = await Promise.all(events.map(({ id }) => hub.admin<{ body: string }>(`events/${id}`)))
  return bodies.map(({ body }) => JSON.parse(body.body).refund)
}

describe('a real refund', () => {
  test('When a POS took back an order that it looked up in the shop, then it is paid once, though the platform has no such order', async () => {
    await using world = await openWorld()
    const order = await world.order()
    world.platform.actions.returnOrder({ orderNo: order.number, gtin: SHIRT, isRefunded: false })
    await world.until('delivered')
    expect(world.now(order).refunds).toMatchObject([{ amount: '349.00', paidBack: true }])
    // The log of the last two days, a day at a time.
    expect(world.asked()).toEqual({ orders: 0, logs: 2 })
  })

  test('When the platform is away, then it waits for its word, and is paid once', async () => {
    await using world = await openWorld()
    const order = await world.order()
    world.door.judge = () => ({ status: 503 })
    world.platform.actions.returnOrder({ orderNo: order.number, gtin: SHIRT, isRefunded: false })
    await world.platform.settled()
    const why = await eventually(async () => {
      const [refund] = await pending(world.hub)
      return refund?.state === 'waiting' && refund.why?.includes('could not be read first') === true && refund.why
    })
    expect(why).toMatch(/503/)
    world.expectUntouched(order)
    world.door.judge = () => null
    await world.until('delivered')
    expect(world.now(order).refunds).toMatchObject([{ amount: '349.00', paidBack: true }])
  })

  test('When a person lets a held one go, then it is paid on that word', async () => {
    await using world = await openWorld()
    const order = await world.order()
    await world.hub.post(RETURNED, refundOf(order))
    await world.until('held')
    await world.hub.admin('deliveries/release', { filter: { state: 'held' }, reason: 'the store says so' })
    await world.until('delivered')
    expect(world.now(order).refunds).toMatchObject([{ amount: '349.00', paidBack: true }])
  })
})

describe('forged words about an order', () => {
  const line = { quantity: 2, gtin: SHIRT, rowId: '1', status: 'Declined' }

  onlyIn(['facts'], 'the public documentation shows how to read an order, so that no doubt is left')(
    'When the platform does not know the order, then the reason doubts whether it can tell, until it has told of one',
    async () => {
      await using world = await openWorld()
      const picked = ({ number }: ShopOrder) => orderUpdate({ orderNo: number, status: 'Picked' })
      await world.hub.post(UPDATED, picked(await world.order()))
      const [first] = await world.until('held')
      expect(first?.why).toContain('It has not told of any order yet')

      const real = await world.known()
      world.platform.actions.pickOrder({ orderNo: real.number })
      await world.until('held', 'delivered')
      await world.hub.post(UPDATED, picked(await world.order()))
      const [, , last] = await world.until('held', 'delivered', 'held')
      expect(last?.why).toMatch(/the platform does not know order \S+$/)
    },
  )

  for (const [name, kind, bodyOf, why] of [
    ['picked', UPDATED, (orderNo: string) => orderUpdate({ orderNo, status: 'Picked' }), 'is UnHandled, not Picked'],
    [
      'collected',
      UPDATED,
      (orderNo: string) => orderUpdate({ orderNo, status: 'Shipped' }),
      'is UnHandled, not Shipped',
    ],
    ['fulfilled', FULFILLED, (orderNo: string) => orderUpdate({ orderNo }), 'is UnHandled, not Shipped'],
    ['expired', UPDATED, (orderNo: string) => orderUpdate({ orderNo, status: 'Expired' }), 'is UnHandled, not Expired'],
    ['run out', RELEASED, (extId: string) => ({ extId, status: 'Expired' }), 'is UnHandled, not Expired'],
    [
      'declined',
      UPDATED,
      (orderNo: string) => orderUpdate({ orderNo, status: 'UnHandled', orderLines: [line] }),
      'not 2',
    ],
    ['sent', UPDATED, (orderNo: string) => shippedOrderUpdate({ orderNo }), 'has no parcel'],
  ] as const)
    test(`When an order is called ${name}, and the platform says otherwise, then it is held, and nothing is done in the shop`, async () => {
      await using world = await openWorld()
      const order = await world.known()
      await world.hub.post(kind, bodyOf(order.number))
      await eventually(async () => {
        if ((await inFlight(world.hub)) === 0) world.clock.advance(10_000)
        const [first] = await pending(world.hub)
        expect(first).toMatchObject({ state: 'held', why: expect.stringContaining(why) })
      })
      world.expectUntouched(order)
    })

  onlyIn(['facts'], 'the public documentation shows how to read an order, so that no doubt is left')(
    'When the platform does not know the order, then it is held and says so; once the platform does, a person has it tried again',
    async () => {
      await using world = await openWorld()
      const order = await world.order()
      await world.hub.post(UPDATED, orderUpdate({ orderNo: order.number, status: 'Shipped' }))
      const [held] = await world.until('held')
      expect(held?.why).toContain(`the platform does not know order ${order.number}`)
      expect(held?.why).toContain('platform.trustWebhooks')
      world.expectUntouched(order)

      world.platform.actions.placeOrder({ lines: ARTICLES, orderNo: order.number })
      world.platform.actions.pickOrder({ orderNo: order.number })
      world.platform.actions.collectOrder({ orderNo: order.number })
      await world.hub.admin('deliveries/retry', { filter: { state: 'held' }, reason: 'it is there now' })
      await eventually(() => world.now(order).status === 'completed')
    },
  )

  test('When staff really does it, then it is done at once, for one question about each word of the platform', async () => {
    await using world = await openWorld()
    const order = await world.known()
    world.platform.actions.declineOrder({ orderNo: order.number })
    await eventually(() => world.now(order).refunds.length === 2)
    expect(world.asked()).toEqual({ orders: 1, logs: 0 })
  })

  test('When a store really packs it, then it is sent', async () => {
    await using world = await openWorld()
    const order = await world.order()
    world.platform.actions.placeOrder({ lines: ARTICLES, orderNo: order.number, ship: true })
    world.platform.actions.packOrder({ orderNo: order.number })
    await world.until('delivered')
    expect(world.now(order).status).toBe('completed')
  })

  test('When the hub died while it was asking, then the forged step is asked about again, and not executed', async () => {
    await using folder = await createFolder()
    await using world = await openWorld()
    const given = { folder: folder.path, clock: world.clock, config: { platform: world.asksBy } }
    {
      await using before = await startWithOrders(given)
      await before.hub.post(RETURNED, refundUpdate({ orderNo: '1', id: 'R-1', isRefunded: false }))
      await eventually(async () => expect(await pending(before.hub)).toMatchObject([{ state: 'waiting' }]))
    }
    // As it is left behind by a hub that is killed after it has claimed the delivery.
    const db = new Database(join(folder.path, 'tillbridge.db'))
    db.exec('update deliveries set open = 1')
    db.close()
    await using after = await startWithOrders(given)
    await eventually(async () => {
      if ((await inFlight(after.hub)) === 0) world.clock.advance(10_000)
      expect(await pending(after.hub)).toMatchObject([{ state: 'held', why: expect.stringContaining('R-1') }])
    })
  })

  test('When what is told to the customer is past already, then nobody is told, and nothing stands in the way', async () => {
    await using world = await openWorld()
    const order = await world.known()
    world.platform.actions.expireOrder({ orderNo: order.number })
    await world.until('delivered')
    const late = await world.known()
    world.platform.faults.next('drop')
    world.platform.actions.expireOrder({ orderNo: late.number })
    await world.hub.post(UPDATED, orderUpdate({ orderNo: late.number, status: 'Picked' }))
    const [, picked] = await world.until('delivered', 'superseded')
    expect(picked?.why).toContain(`order ${late.number} is Expired, not Picked`)
  })
})

describe('where the platform cannot be asked', () => {
  test('When config does not say that webhooks are believed, then nothing moves, and the held step names the key', async () => {
    await using world = await startWithOrders({ config: { platform: { trustWebhooks: false } } })
    const order = await world.order()
    await world.hub.post(RETURNED, refundOf(order))
    await eventually(async () =>
      expect(await pending(world.hub)).toMatchObject([
        { state: 'held', why: expect.stringMatching(/platform\.baseUrl.*platform\.trustWebhooks: true/) },
      ]),
    )
    expect(world.now(order).refunds).toEqual([])
    const said = world.hub.lines.filter(({ msg }) => msg === 'hub.orders-not-verified')
    expect(said).toMatchObject([{ destinations: ['shop'], todo: expect.stringContaining('platform.trustWebhooks') }])
  })

  test('When config believes webhooks, then a webhook is enough, and the platform is not asked', async () => {
    await using world = await openWorld({ trustWebhooks: true })
    const order = await world.order()
    await world.hub.post(RETURNED, refundOf(order))
    await world.until('delivered')
    expect(world.now(order).refunds).toMatchObject([{ amount: '349.00', paidBack: true }])
    expect(world.asked()).toEqual({ orders: 0, logs: 0 })
    expect(world.hub.lines.filter(({ msg }) => msg === 'hub.orders-not-verified')).toEqual([])
  })

  test('When the platform refuses to tell, then it is held with that, and names the key', async () => {
    await using world = await openWorld()
    const order = await world.known()
    world.door.judge = () => ({ status: 400, body: 'not for you' })
    world.platform.actions.pickOrder({ orderNo: order.number })
    const [held] = await world.until('held')
    expect(held?.why).toMatch(/could not be read first.*400.*platform\.trustWebhooks/s)
    world.expectUntouched(order)
  })
})
