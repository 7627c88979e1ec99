import request from 'supertest'
import { describe, expect, test } from 'vitest'
import type { SandboxPlatform } from '../../../sandbox/platform/platform.ts'
import { givenPlatform, HEADERS, startReceiver, subscribe } from './given.ts'

const STORE = { 'X-StoreId': '43' }

describe('sending an online order to a store', () => {
  test('When an order is created, then it can be read: UnHandled, with numbers, in its store', async () => {
    await using platform = await givenPlatform()
    const { body: orderId } = await create(platform, pickup()).expect(200)
    expect(orderId).toEqual(expect.any(Number))
    const { body } = await read(platform, 'W-1').expect(200)
    expect(body).toMatchObject({
      orderId,
      orderNo: 'W-1',
      status: 'UnHandled',
      orderType: 'ROPIS',
      orderLines: [{ gtin: 'G1', price: 349, quantity: 2, status: 'UnHandled' }, { gtin: 'G2' }],
      fulfillmentLocation: { stockId: 13, stockName: 'Bergen Torg' },
    })
  })

  test('When the store is named by its stock, as the public API does, then it is found', async () => {
    await using platform = await givenPlatform()
    await create(platform, pickup(), { 'x-StockId': '21' }).expect(200)
    expect((await read(platform, 'W-1')).body.fulfillmentLocation.stockId).toBe(21)
  })

  test.each([
    ['a price that is a number', { orderLines: [{ gtin: 'G1', price: 349, quantity: '1' }] }, 'decimal number as text'],
    ['half an article', { orderLines: [{ gtin: 'G1', price: '349', quantity: '0.5' }] }, '1 or more'],
    ['no lines', { orderLines: [] }, 'orderLines'],
    ['no number', { orderNo: undefined }, 'orderNo'],
    ['another status', { status: 'Picked' }, 'UnHandled'],
    ['an amount with a comma', { paymentLines: [{ amount: '9,50', currency: 'NOK', type: 'Card' }] }, 'amount'],
  ])('When an order has %s, then it is refused with the reason', async (_, part, why) => {
    await using platform = await givenPlatform()
    const refused = await create(platform, { ...pickup(), ...part }).expect(400)
    expect(refused.body.message).toContain(why)
    await read(platform, 'W-1').expect(404)
  })

  test.each([
    ['no store', {}, 'X-StoreId is required'],
    ['a store that is none', { 'X-StoreId': '12' }, 'X-StoreId 12'],
    ['a stock that is none', { 'x-StockId': '43' }, 'x-StockId 43'],
  ])('When the headers name %s, then the order is refused', async (_, headers, why) => {
    await using platform = await givenPlatform()
    const refused = await create(platform, pickup(), headers).expect(400)
    expect(refused.body.message).toContain(why)
  })

  test('When an order number comes twice, then the second is refused', async () => {
    await using platform = await givenPlatform()
    await create(platform, pickup())
    await create(platform, pickup()).expect(409)
  })

  test('When an order is put before anybody began with it, then it is replaced; afterwards it is not', async () => {
    await using platform = await givenPlatform()
    const put = (body: object) => request(platform.url).put('/api/Omnichannel').set(HEADERS).send(body)
    await put(pickup()).expect(404)
    const { body: orderId } = await create(platform, pickup())
    const fewer = { ...pickup(), orderLines: [{ gtin: 'G2', price: '10', quantity: '1' }] }
    expect((await put(fewer).expect(200)).body).toBe(orderId)
    expect((await read(platform, 'W-1')).body.orderLines).toMatchObject([{ gtin: 'G2', price: 10 }])
    platform.orders.pick('W-1')
    await put(fewer).expect(409)
  })

  test('When an order is deleted, then it is gone', async () => {
    await using platform = await givenPlatform()
    const { body: orderId } = await create(platform, pickup())
    const remove = () => request(platform.url).delete('/api/OMNICHANNEL').query({ orderNo: 'W-1' }).set(HEADERS)
    expect((await remove().expect(200)).body).toBe(orderId)
    await read(platform, 'W-1').expect(404)
    await remove().expect(404)
    expect(() => platform.orders.pick('W-1')).toThrow('There is no order W-1.')
  })

  // Facts, §5 trap 36.
  test('When orders are listed, then item1 has the page and item2 how many there are', async () => {
    await using platform = await givenPlatform()
    for (const orderNo of ['A', 'B', 'C']) await create(platform, { ...pickup(), orderNo })
    await create(platform, { ...shipped(), orderNo: 'D' }, { 'X-StoreId': '51' })
    const list = (query: object) => request(platform.url).get('/api/OmniChannel/orders').query(query).set(HEADERS)
    const { body } = await list({ stockId: 13, pageNumber: 2, pageSize: 2 }).expect(200)
    expect(body).toMatchObject({ item1: [{ orderNo: 'C' }], item2: 3 })
    expect((await list({ orderType: 'BOSS' })).body).toMatchObject({ item1: [{ orderNo: 'D' }], item2: 1 })
    expect((await list({ toDate: '2020-01-01' })).body).toEqual({ item1: [], item2: 0 })
    await list({ fromDate: 'yesterday' }).expect(400)
    await list({ fromDate: '2' }).expect(400)
    await list({ fromDate: '2026-11-31' }).expect(400)
    await list({ pageNumber: 0 }).expect(400)
  })
})

describe('what staff does with an order', () => {
  test('When a pickup order is picked and collected, then each step is told, and the last that it is fulfilled', async () => {
    await using platform = await givenPlatform()
    await using updates = await startReceiver()
    await using fulfilled = await startReceiver()
    await subscribe(platform, 'OmniChannelOrderUpdated', updates.url)
    await subscribe(platform, 'OmniChannelOrderFulfilled', fulfilled.url)
    await create(platform, pickup())
    platform.orders.pick('W-1')
    await platform.settled()
    platform.orders.collect('W-1')
    await platform.settled()
    expect(updates.bodies).toEqual([update('Picked'), update('Shipped')])
    expect(fulfilled.bodies).toEqual([update('Shipped')])
  })

  test('When one article is declined, then the order goes on; when all are, then it is Rejected', async () => {
    await using platform = await givenPlatform()
    await using updates = await startReceiver()
    await subscribe(platform, 'OmniChannelOrderUpdated', updates.url)
    await create(platform, pickup())
    platform.orders.decline('W-1', 'G2')
    await platform.settled()
    platform.orders.pick('W-1')
    await platform.settled()
    platform.orders.decline('W-1')
    await platform.settled()
    const [one, picked, all] = updates.bodies
    expect(one).toMatchObject({
      order: { status: 'UnHandled', orderLines: [{ status: 'UnHandled' }, { status: 'Declined' }] },
    })
    expect(picked).toMatchObject({
      order: { status: 'Picked', orderLines: [{ status: 'Picked' }, { status: 'Declined' }] },
    })
    expect(all).toMatchObject({
      order: { status: 'Rejected', orderLines: [{ status: 'Declined' }, { status: 'Declined' }] },
    })
    expect(() => platform.orders.collect('W-1')).toThrow('Order W-1 is Rejected, not Picked.')
    expect(() => platform.orders.decline('W-1', 'G3')).toThrow('is Rejected')
  })

  test('When an order is shipped from the store, then the update has shipments with what was not declined', async () => {
    await using platform = await givenPlatform()
    await using updates = await startReceiver()
    await create(platform, shipped())
    platform.orders.decline('W-1', 'G2')
    await subscribe(platform, 'OmniChannelOrderUpdated', updates.url)
    platform.orders.pack('W-1')
    await platform.settled()
    expect(updates.bodies).toMatchObject([
      {
        order: {
          status: 'Shipped',
          fulfillmentLocation: { shipments: [{ id: expect.any(String), items: [{ gtin: 'G1' }, { gtin: 'G1' }] }] },
        },
      },
    ])
  })

  test.each<[string, (platform: SandboxPlatform) => unknown, string]>([
    ['collected before it was picked', ({ orders }) => orders.collect('W-1'), 'UnHandled, not Picked'],
    ['packed, though the customer comes', ({ orders }) => orders.pack('W-1'), 'fetched in the store'],
    ['declined for an article that it does not have', ({ orders }) => orders.decline('W-1', 'G9'), 'no line of G9'],
  ])('When a pickup order is %s, then it is refused, and nobody is told', async (_, act, why) => {
    await using platform = await givenPlatform()
    await using updates = await startReceiver()
    await subscribe(platform, 'OmniChannelOrderUpdated', updates.url)
    await create(platform, pickup())
    expect(() => act(platform)).toThrow(why)
    await platform.settled()
    expect(updates.bodies).toEqual([])
    expect((await read(platform, 'W-1')).body.status).toBe('UnHandled')
  })

  test('When the reservation of a picked order runs out, then it is Expired, and cannot be collected', async () => {
    await using platform = await givenPlatform()
    await using updates = await startReceiver()
    await create(platform, pickup())
    platform.orders.pick('W-1')
    await subscribe(platform, 'OmniChannelOrderUpdated', updates.url)
    platform.orders.expire('W-1')
    await platform.settled()
    expect(updates.bodies).toEqual([update('Expired')])
    expect(() => platform.orders.collect('W-1')).toThrow('is Expired')
  })

  test('When an order that is shipped from the store is to be fetched there, then it is refused', async () => {
    await using platform = await givenPlatform()
    await create(platform, shipped())
    expect(() => platform.orders.pick('W-1')).toThrow('is shipped from the store')
  })
})

describe('returning an online order in a store', () => {
  test.each([true, false])(
    'When it comes back and isRefunded is %s, then the refund is told so',
    async (isRefunded) => {
      await using platform = await givenPlatform()
      await using refunds = await startReceiver()
      await subscribe(platform, 'OmniChannelOrderRefundUpdated', refunds.url)
      platform.orders.returnOnline({ orderNo: 'W-9', lines: [{ gtin: 'G1', quantity: 1 }], isRefunded, store: '102' })
      await platform.settled()
      expect(refunds.bodies).toEqual([
        {
          refund: {
            orderNo: 'W-9',
            id: expect.any(String),
            status: 'Returned',
            isRefunded,
            orderLines: [{ quantity: 1, gtin: 'G1', id: null, status: 'Returned' }],
            fulfillmentLocation: { stockId: 13, stockName: 'Bergen Torg', posId: 431, personId: 55, shipmentInfo: [] },
          },
        },
      ])
    },
  )

  test.each([
    [3, 'has 2 of G1, not 3'],
    [0, '1 or more'],
  ])('When %i of two come back, then it is refused', async (quantity, why) => {
    await using platform = await givenPlatform()
    await create(platform, pickup())
    const back = { orderNo: 'W-1', lines: [{ gtin: 'G1', quantity }], isRefunded: true }
    expect(() => platform.orders.returnOnline(back)).toThrow(why)
  })
})

/** As the spec shows it; the customer pays in the store. */
function pickup() {
  return {
    orderNo: 'W-1',
    reservationLengthInHours: 48,
    customer: {
      email: 'kari@example.com',
      firstName: 'Kari',
      lastName: 'N',
      phone: '91234567',
      phoneCountryCode: '47',
    },
    orderLines: [
      { gtin: 'G1', price: '349.00', quantity: '2' },
      { gtin: 'G2', price: '149.90', quantity: '1' },
    ],
    saleDateTime: '2026-11-20T12:00:00+01:00',
    status: 'UnHandled',
    store: { storeName: 'Bergen Torg' },
  }
}

function shipped() {
  const shippingAddress = { firstName: 'Kari', lastName: 'N', address1: 'Storgata 1', city: 'Oslo', postalCode: '0184' }
  return { ...pickup(), shippingAddress: { ...shippingAddress, countryCode: 'NO' } }
}

/** What OmniChannelOrderUpdated tells of the order, every field of it. */
function update(status: string) {
  return {
    order: {
      orderNo: 'W-1',
      id: expect.any(String),
      status,
      orderLines: [
        { quantity: 2, gtin: 'G1', rowId: '1', status: 'Picked' },
        { quantity: 1, gtin: 'G2', rowId: '2', status: 'Picked' },
      ],
      fulfillmentLocation: { stockName: 'Bergen Torg', stockId: 13, posId: 431, personId: 55 },
    },
  }
}

function create(platform: SandboxPlatform, body: object, headers: object = STORE) {
  return request(platform.url)
    .post('/api/Omnichannel')
    .set({ ...HEADERS, ...headers })
    .send(body)
}

function read(platform: SandboxPlatform, orderNo: string) {
  return request(platform.url).get('/api/OmniChannel').query({ orderNo }).set(HEADERS)
}
