import { describe, expect, test } from 'vitest'
import type { ShopOrder } from '../../../sandbox/shop/records.ts'
import type { OrderStory } from '../../../src/admin/orders.ts'
import { eventually } from '../../eventually.ts'
import { endlessAisle, type Given, orderUpdate, refundUpdate, saleLine } from '../../fixtures/payloads.ts'
import { deliveriesOf } from '../../hub.ts'
import { startWithOrders, type WithOrders } from './order-given.ts'

/*
 * POS number their orders, and so does the online shop: both come to 1008 (P3). Nothing that is said of one of them may
 * happen to the other.
 */

const ENDLESS = 'OmniChannelEndlessAisleOrderCreated'
const UPDATED = 'OmniChannelOrderUpdated'
const RETURNED = 'OmniChannelOrderRefundUpdated'
const NUMBER = '1008'

const SHIRT = { sku: 'TEE-BLK-M', gtin: '7090012340011', price: 349 }
const SOCKS = { sku: 'SOCKS-GRY', gtin: '7090012340059', price: 149.9 }
const CAP = { sku: 'CAP', gtin: '7090012340028', price: 199 }
type Article = typeof SHIRT

const OF_TILL = '11111111-0000-4000-8000-000000000001'
const OF_WEB = '22222222-0000-4000-8000-000000000002'

/** A shop that gives its first web order the number 1008, and a hub. */
function startShopAt1008(
  given: Parameters<typeof startWithOrders>[0] = {},
  more: object = {},
): Promise<WithOrders & { place(...articles: Article[]): Promise<ShopOrder> }> {
  let next: string | null = null
  const numbering = (id: number) => {
    const number = next ?? `S-${id}`
    next = null
    return number
  }
  return startWithOrders(given, more, numbering).then((world) => ({
    ...world,
    place(...articles: Article[]) {
      next = NUMBER
      return world.shop.placeOrder({ lines: articles.map(({ sku }) => ({ sku })) })
    },
  }))
}

type World = Awaited<ReturnType<typeof startShopAt1008>>

/** A POS sells something that the shop is to send. */
async function sell(
  { hub, shop, done }: World,
  articles: Article[],
  given: Given = { orderNo: NUMBER },
): Promise<ShopOrder> {
  const orderLines = articles.map(({ gtin, sku, price }) =>
    saleLine({ gtin, externalSKU: sku, price, shipFromOnlineStore: true }),
  )
  await hub.post(ENDLESS, endlessAisle({ orderLines, ...given }))
  await done()
  const order = shop.orders().find(({ meta }) => meta.tillbridge_receipt !== undefined)
  if (!order) throw new Error('The shop has no order of the POS.')
  return order
}

const update = (status: string, article: Article, id: string) =>
  orderUpdate({ orderNo: NUMBER, id, status, orderLines: [{ quantity: 1, gtin: article.gtin, rowId: null, status }] })

const comesBack = (article: Article, id: string, isRefunded = false) =>
  refundUpdate({
    orderNo: NUMBER,
    id,
    isRefunded,
    orderLines: [{ quantity: 1, gtin: article.gtin, id: null, status: 'Returned' }],
  })

/** What became of an order: its state, whether its customer was told, and what was refunded. */
function fate({ status, reported, refunds }: ShopOrder) {
  return { status, reported: reported.length, back: refunds.map(({ amount, paidBack }) => `${amount} ${paidBack}`) }
}

const UNTOUCHED = { status: 'processing', reported: 0, back: [] }
const COLLECTED = { status: 'completed', reported: 1, back: [] }

async function both(world: World, first: 'pos' | 'web', of: { pos: Article; web: Article }, given?: Given) {
  const placed = first === 'web' ? await world.place(of.web) : null
  const pos = await sell(world, [of.pos], given)
  const web = placed ?? (await world.place(of.web))
  expect(web.number).toBe(NUMBER)
  return { pos, web }
}

describe.each(['pos', 'web'] as const)('two orders 1008, that of the %s first', (first) => {
  const goods = { pos: SHIRT, web: SOCKS }

  test('When a store works on one and then on the other, then each gets what is its own, and nothing else', async () => {
    await using world = await startShopAt1008()
    const { hub, now, done } = world
    const { pos, web } = await both(world, first, goods)
    for (const status of ['Picked', 'Shipped']) await hub.post(UPDATED, update(status, SOCKS, OF_WEB))
    await done()
    expect([fate(now(web)), fate(now(pos))]).toEqual([COLLECTED, UNTOUCHED])

    for (const status of ['Picked', 'Shipped']) await hub.post(UPDATED, update(status, SHIRT, OF_TILL))
    await done()
    expect([fate(now(web)), fate(now(pos))]).toEqual([COLLECTED, COLLECTED])
  })

  test('When goods of one come back, then its own money goes back, and the stranger keeps the order', async () => {
    await using world = await startShopAt1008()
    const { hub, now, done } = world
    const { pos, web } = await both(world, first, goods)
    await hub.post(RETURNED, comesBack(SHIRT, 'R-1', true))
    await done()
    expect([now(pos).refunds.length, now(web).refunds.length]).toEqual([1, 0])
    await hub.post(RETURNED, comesBack(SOCKS, 'R-2'))
    await done()
    expect(fate(now(web)).back).toEqual(['149.90 true'])
    expect(now(pos).refunds).toHaveLength(1)
  })

  test('When the same article of each is declined, piece by piece, then each customer has their own money back, once', async () => {
    // No payment service of the shop can refund what a POS took: people do.
    await using world = await startShopAt1008({}, { refundPayments: false })
    const { hub, now, done } = world
    const placed = first === 'web' ? await world.place(SHIRT, SHIRT, SOCKS) : null
    const pos = await sell(world, [SHIRT, SHIRT, CAP])
    const web = placed ?? (await world.place(SHIRT, SHIRT, SOCKS))
    const declined = (id: string, quantity: number, other: Article) => {
      const line = ({ gtin }: Article, many: number, status: string) => ({ quantity: many, gtin, rowId: null, status })
      const orderLines = [line(SHIRT, quantity, 'Declined'), line(other, 1, 'Picked')]
      return orderUpdate({ orderNo: NUMBER, id, status: 'UnHandled', orderLines })
    }
    await hub.post(UPDATED, declined(OF_WEB, 1, SOCKS))
    await done()
    await hub.post(UPDATED, declined(OF_TILL, 2, CAP))
    await done()
    await hub.post(UPDATED, declined(OF_WEB, 2, SOCKS))
    await done()
    const back = (order: ShopOrder) => now(order).refunds.map(({ amount }) => amount)
    expect([back(web), back(pos)]).toEqual([['349.00', '349.00'], ['698.00']])
  })

  test('When both have the goods, then nothing happens to either, and a person is told which two there are', async () => {
    await using world = await startShopAt1008()
    const { hub, now } = world
    const { pos, web } = await both(world, first, { pos: SHIRT, web: SHIRT })
    await hub.post(UPDATED, update('Picked', SHIRT, OF_WEB))
    await hub.post(RETURNED, comesBack(SHIRT, 'R-1'))
    await hub.post(UPDATED, orderUpdate({ orderNo: NUMBER, id: OF_WEB, status: 'Expired', orderLines: [] }))
    for (const flow of ['order-ready', 'refund-goods', 'order-expired']) {
      const held = await eventually(async () => {
        const found = (await deliveriesOf(hub)).find((one) => one.flow === flow && one.state === 'held')
        return found ?? false
      })
      expect(held).toMatchObject({ code: 'ambiguous-order' })
      expect(held.why).toContain(`${web.id} (a web order)`)
      expect(held.why).toContain(`${pos.id} (an order of a POS)`)
      expect([fate(now(web)), fate(now(pos))]).toEqual([UNTOUCHED, UNTOUCHED])
      // It stands before the others of its number until a person has looked.
      expect((await hub.admin('deliveries/skip', { filter: { id: held.id }, reason: 'done by hand' })).status).toBe(200)
    }
  })
})

test('When a POS asks for 1008, then it is shown the web order, and by which name the other one is asked for and brought back', async () => {
  const lookups = { orders: { tokens: ['token-of-the-pos'], budget: '10s' } }
  await using world = await startShopAt1008({ config: { lookups } })
  const { hub, now, done } = world
  const { pos, web } = await both(world, 'pos', { pos: SHIRT, web: SHIRT })
  const ask = async (number: string) => {
    const headers = { authorization: 'Bearer token-of-the-pos' }
    const { body } = await hub.ask<Shown>(`/api/orders/search?query=${encodeURIComponent(number)}`, { headers })
    return body
  }
  const first = await ask(NUMBER)
  expect(first).toMatchObject({ orderNo: NUMBER, orderLines: [{ rowId: String(web.lines[0]?.id) }] })
  expect(first.comment).toBe('1008 is a web order. Its number is that of an order of a POS, too: ask for pos:1008.')
  const second = await ask('pos:1008')
  expect(second).toMatchObject({ orderNo: 'pos:1008', orderLines: [{ rowId: String(pos.lines[0]?.id) }] })

  // The goods are the same: the name that the answer had says whose they are.
  await hub.post(RETURNED, refundUpdate({ orderNo: second.orderNo, id: 'R-9', isRefunded: true }))
  await done()
  expect([now(pos).refunds.length, now(web).refunds.length]).toEqual([1, 0])
  const { links, timeline } = (await hub.admin<OrderStory>(`orders/${NUMBER}`)).body
  expect(links).toContainEqual({ destination: 'shop', kind: 'order', id: 'pos:1008', theirId: String(pos.id) })
  expect(timeline.map(({ what }) => what)).toEqual(
    expect.arrayContaining([expect.stringContaining('OmniChannelOrderRefundUpdated')]),
  )
})

interface Shown {
  orderNo: string
  comment: string | null
}

describe('a POS order without a number of its own', () => {
  const given = { orderNo: null, receiptNo: NUMBER }

  for (const first of ['pos', 'web'] as const)
    test(`When its receipt is 1008, and so is a web order (that of the ${first} first), then what is said of 1008 is the web order’s`, async () => {
      await using world = await startShopAt1008()
      const { hub, now, done } = world
      const { pos, web } = await both(world, first, { pos: SHIRT, web: SOCKS }, given)
      for (const status of ['Picked', 'Shipped']) await hub.post(UPDATED, update(status, SOCKS, OF_WEB))
      await hub.post(RETURNED, comesBack(SOCKS, 'R-1'))
      await done()
      expect([fate(now(web)), fate(now(pos))]).toEqual([
        { status: 'refunded', reported: 1, back: ['149.90 true'] },
        UNTOUCHED,
      ])
    })

  test('When there is no web order 1008 in the shop, then a stranger’s update does not take the POS’s for it', async () => {
    await using world = await startShopAt1008()
    const pos = await sell(world, [SHIRT], given)
    await world.hub.post(UPDATED, update('Shipped', SOCKS, OF_WEB))
    await eventually(async () =>
      expect((await deliveriesOf(world.hub))[0]).toMatchObject({
        state: 'waiting',
        why: expect.stringContaining('the shop has no order 1008'),
      }),
    )
    expect(fate(world.now(pos))).toEqual(UNTOUCHED)
  })

  test('When its goods come back under the number of its receipt, then they are known by the goods', async () => {
    await using world = await startShopAt1008()
    const pos = await sell(world, [SHIRT], given)
    await world.hub.post(RETURNED, comesBack(SHIRT, 'R-1', true))
    await world.done()
    expect(world.now(pos).refunds).toHaveLength(1)
  })
})
