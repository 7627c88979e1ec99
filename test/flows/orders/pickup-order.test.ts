import { describe, expect, test } from 'vitest'
import type { SandboxPlatform } from '../../../sandbox/platform/platform.ts'
import type { ShopOrder } from '../../../sandbox/shop/records.ts'
import { createTestClock } from '../../clock.ts'
import { onlyIn } from '../../dialect.ts'
import { eventually } from '../../eventually.ts'
import { orderUpdate, refundUpdate } from '../../fixtures/payloads.ts'
import { deliveriesOf } from '../../hub.ts'
import { givenPlatform, HEADERS } from '../../sandbox/platform/given.ts'
import { inFlight } from '../days/open-store.ts'
import { ARTICLES, startWithOrders } from './order-given.ts'

const [SHIRTS, SOCKS] = ARTICLES
if (!SHIRTS || !SOCKS) throw new Error('The story is about two articles.')

describe('what has no time and no sequence', () => {
  test('When Picked comes after Shipped, then nobody is told to come, and the delivery says why', async () => {
    await using world = await startWithOrders()
    const order = await world.order()
    const [picked, shipped] = updates(order, 'Picked', 'Shipped')
    await world.hub.post(UPDATED, shipped)
    await world.done()
    await world.hub.post(UPDATED, picked)
    await world.done()
    const [late] = await deliveriesOf(world.hub)
    expect(late).toMatchObject({ flow: 'order-ready', state: 'superseded', code: 'invalidated' })
    expect(late?.why).toContain('event 1')
    expect(world.now(order).reported.join()).not.toContain('ready')
  })

  test('When Shipped comes while the shop is down with Picked still waiting, then only what is true goes out later', async () => {
    const clock = createTestClock()
    await using world = await startWithOrders({ clock })
    const order = await world.order()
    await world.shop.faults.down(true)
    const [picked, shipped] = updates(order, 'Picked', 'Shipped')
    await world.hub.post(UPDATED, picked)
    await eventually(async () =>
      expect(await deliveriesOf(world.hub)).toMatchObject([
        { flow: 'order-ready', why: expect.stringContaining('connect') },
      ]),
    )
    await world.hub.post(UPDATED, shipped)
    await world.shop.faults.down(false)
    await eventually(async () => {
      // A call that is out has its own time, which must not run out here.
      if ((await inFlight(world.hub)) === 0) clock.advance(MINUTE)
      return world.now(order).status === 'completed'
    })
    await world.done()
    expect(world.now(order).reported).toEqual([])
  })

  onlyIn(['facts', 'frontsystems-v2'], 'the specification shows no order to read')(
    'When staff took Shipped back, and the platform says so, then the invalidated state is acted on',
    async () => {
      await using platform = await givenPlatform({ seedCatalogue: false })
      await using world = await startWithOrders({ config: { platform: { ...asked(platform), trustWebhooks: true } } })
      const order = await world.order()
      platform.actions.placeOrder({ lines: ARTICLES, orderNo: order.number })
      platform.actions.pickOrder({ orderNo: order.number })
      const [shipped, picked] = updates(order, 'Shipped', 'Picked')
      await world.hub.post(UPDATED, shipped)
      await world.done()
      await world.hub.post(UPDATED, picked)
      await world.done()
      expect((await deliveriesOf(world.hub))[0]).toMatchObject({ flow: 'order-ready', state: 'delivered' })
    },
  )

  test('When a line is declined piece by piece, then each piece is refunded once, whatever comes first', async () => {
    await using world = await startWithOrders()
    const [up, down] = [await world.order(), await world.order()]
    const declined = (order: ShopOrder, quantity: number) =>
      orderUpdate({ orderNo: order.number, id: order.number, orderLines: [lineOf(quantity, 'Declined')] })
    for (const [order, quantity] of [
      [up, 1],
      [up, 2],
      [down, 2],
      [down, 1],
      [down, 2],
    ] as const) {
      await world.hub.post(UPDATED, declined(order, quantity))
      await world.done()
    }
    const given = (order: ShopOrder) => world.now(order).refunds.map(({ amount }) => amount)
    expect(given(up)).toEqual(['349.00', '349.00'])
    expect(given(down)).toEqual(['698.00'])
  })
})

describe('an online order that comes back in a store', () => {
  test('When the POS gave it back, then it is noted, and no money moves; not even when a late event says otherwise', async () => {
    await using world = await startWithOrders()
    const order = await world.order()
    await world.hub.post(RETURNED, returned(order, true))
    await world.hub.post(RETURNED, returned(order, false))
    await world.done()
    expect(world.now(order).refunds).toMatchObject([{ amount: '349.00', paidBack: false }])
    expect((await deliveriesOf(world.hub))[0]).toMatchObject({ flow: 'refund-goods', state: 'superseded' })
  })

  test('When the shop paid it back, and the POS says later that it has, too, then that is held as a contradiction', async () => {
    await using world = await startWithOrders()
    const order = await world.order()
    await world.hub.post(RETURNED, returned(order, false))
    await world.done()
    await world.hub.post(RETURNED, returned(order, true))
    await eventually(async () =>
      expect((await deliveriesOf(world.hub)).find(({ state }) => state === 'held')).toMatchObject({
        flow: 'note-refund',
        why: expect.stringContaining('the customer may have it twice'),
      }),
    )
    expect(world.now(order).refunds).toHaveLength(1)
  })

  for (const [name, given, why] of [
    ['the refund is called Cancelled', { status: 'Cancelled' }, 'the refund is called Cancelled, not Returned'],
    ['the refund is called Created', { status: 'Created' }, 'the refund is called Created, not Returned'],
    ['the refund is called nothing', { status: null }, 'the refund is called nothing, not Returned'],
    ['its line is declined', { orderLines: [lineOf(1, 'Declined')] }, 'is called Declined, not Returned'],
  ] as const)
    test(`When ${name}, then no money moves and it is held by name; the word that counts pays once, and a person’s word no more`, async () => {
      await using world = await startWithOrders()
      const order = await world.order()
      const payload = returned(order, false)
      await world.hub.post(RETURNED, { refund: { ...payload.refund, ...given } })
      const held = await eventually(async () => {
        const [one] = await deliveriesOf(world.hub)
        expect(one).toMatchObject({ state: 'held', code: 'unknown-word', why: expect.stringContaining(why) })
        return one
      })
      expect(world.now(order).refunds).toEqual([])

      await world.hub.post(RETURNED, payload)
      await eventually(() => expect(world.now(order).refunds).toHaveLength(1))
      await world.hub.admin('deliveries/release', { filter: { id: held?.id }, reason: 'seen' })
      await world.done()
      expect(world.now(order).refunds).toMatchObject([{ amount: '349.00', paidBack: true }])
    })
})

const MINUTE = 60_000
const UPDATED = 'OmniChannelOrderUpdated'
const RETURNED = 'OmniChannelOrderRefundUpdated'

function lineOf(quantity: number, status: string) {
  return { quantity, gtin: '7090012340011', rowId: '1', status }
}

function updates(order: ShopOrder, ...statuses: string[]) {
  const about = { orderNo: order.number, id: order.number, orderLines: [lineOf(2, 'Picked')] }
  return statuses.map((status) => orderUpdate({ ...about, status }))
}

function returned(order: ShopOrder, isRefunded: boolean) {
  return refundUpdate({ orderNo: order.number, id: `refund-of-${order.number}`, isRefunded })
}

function asked({ apiUrl }: SandboxPlatform) {
  return { baseUrl: apiUrl, apiKey: HEADERS['x-api-key'], subscriptionKey: HEADERS['ocp-apim-subscription-key'] }
}
