import { describe, expect, test } from 'vitest'
import type { NewDelivery } from '../../../src/platform/resources/stock.ts'
import { expectRefused, failureOf, givenAnswer, givenPlatform } from '../given.ts'

const DELIVERY: NewDelivery = {
  extRef: 'PO-100',
  stockId: '3011',
  storeId: '1012',
  orderDate: Date.UTC(2026, 10, 20, 12),
  expectedDeliveryDate: '2026-11-24T00:00:00',
  comment: 'Second wave',
  insertAsConfirmed: true,
  orderLines: [
    { gtin: '0701', qty: '12', cost: '199.90' },
    { gtin: '0702', qty: '0.5' },
  ],
}

describe('creating', () => {
  test.each([
    ['spec', '/api/Delivery'],
    ['frontsystems-v2', '/api/PurchaseOrder'],
  ] as const)('When %s is spoken, then it goes to %s, as documented', async (preset, path) => {
    await using given = await givenAnswer({ body: 501 }, { preset })
    expect(await given.platform.goodsDeliveries.create(DELIVERY)).toBe('501')
    expect(given.server.asked.map(({ line, body }) => [line, JSON.parse(body)])).toEqual([
      [
        `PUT ${path}`,
        {
          extRef: 'PO-100',
          stockId: 3011,
          storeId: 1012,
          orderDate: '2026-11-20T12:00:00.000Z',
          expectedDeliveryDate: '2026-11-24T00:00:00',
          comment: 'Second wave',
          insertAsConfirmed: true,
          orderLines: [
            { gtin: '0701', qty: 12, cost: 199.9 },
            { gtin: '0702', qty: 0.5 },
          ],
        },
      ],
    ])
  })

  test.each([
    ['spec', 'unknown', false],
    ['spec', 'heeded', true],
    ['frontsystems-v2', 'heeded', true],
  ] as const)('a request id in the preset %s, where it is %s, is sent: %s', async (preset, requestIds, isSent) => {
    const endpoints = { 'goodsDeliveries.create': { requestId: requestIds } }
    await using given = await givenAnswer({ body: 501 }, { preset, endpoints })
    const requestId = '8c1f3f5e-51f2-4b6e-9a3d-0f6f5b1f7a10'
    await given.platform.goodsDeliveries.create({ ...DELIVERY, requestId })
    const sent = JSON.parse(given.server.asked[0]?.body ?? '')
    expect(sent).toMatchObject({ extRef: 'PO-100' })
    expect(sent.requestId).toBe(isSent ? requestId : undefined)
  })

  test.each([
    ['"501"', '501'],
    [{ OrderId: 501 }, '501'],
    [{ id: '501' }, '501'],
    ['Ok', null],
    ['', null],
    [{ done: true }, null],
  ])('When %j is answered, then the order id is %j', async (body, id) => {
    await using given = await givenAnswer({ body })
    expect(await given.platform.goodsDeliveries.create(DELIVERY)).toBe(id)
  })

  test('When the answer is documented, then without an id nobody knows; and only there one request id is executed once', async () => {
    await using given = await givenAnswer({ body: 'Ok' }, { preset: 'frontsystems-v2' })
    const failure = await failureOf(given.platform.goodsDeliveries.create(DELIVERY))
    expect(failure).toMatchObject({ name: 'UnknownOutcomeError', code: 'no-id' })
    expect(given.platform.goodsDeliveries.heedsRequestId()).toBe(true)
    await using spec = await givenPlatform()
    expect(spec.platform.goodsDeliveries.heedsRequestId()).toBe(false)
    await using reported = await givenPlatform({ endpoints: { 'goodsDeliveries.create': { requestId: 'heeded' } } })
    expect(reported.platform.goodsDeliveries.heedsRequestId()).toBe(true)
    const useless = givenPlatform({ endpoints: { 'sales.import': { requestId: 'heeded' } } })
    expect((await failureOf(useless)).message).toContain('sales.import.requestId')
  })

  test.each([0, -1, '"0"', { orderId: 0 }, { orderId: '-1' }])(
    'When %j is answered, then it was not executed',
    async (body) => {
      await using given = await givenAnswer({ body })
      const failure = await failureOf(given.platform.goodsDeliveries.create(DELIVERY))
      expect(failure).toMatchObject({ name: 'PermanentError', code: 'refused' })
      expect(given.server.asked).toHaveLength(1)
    },
  )

  test.each([
    ['no lines', { orderLines: [] }, 'the orderLines must not be empty'],
    ['a request id that is no GUID', { requestId: 'PO-100' }, 'the requestId must be a GUID'],
    ['a quantity that is none', { orderLines: [{ gtin: '1', qty: 'x' }] }, 'order line 1: the qty cannot be sent'],
    ['a cost that is none', { orderLines: [{ gtin: '1', qty: '1', cost: '1,5' }] }, 'order line 1: the cost cannot'],
    ['no reference', { extRef: '' }, 'the extRef is empty'],
    ['no store', { storeId: ' ' }, 'the storeId is empty'],
    ['a date that is none', { orderDate: '20.11.2026' }, 'orderDate is not a time'],
  ])('When it has %s, then it is refused, and nothing is sent', async (_, wrong, said) => {
    await using given = await givenPlatform()
    await expectRefused(given, given.platform.goodsDeliveries.create({ ...DELIVERY, ...wrong }), said)
  })
})

describe('listing', () => {
  const ORDER = {
    OrderId: 501,
    Ordernumber: 'PO-100',
    Description: null,
    OrderDate: '2026-11-20T12:00:00',
    Brand: 'Nord',
    Season: 'BASIC',
    TotalConfirmedQty: 12,
    TotalConfirmedCost: 2398.8,
    TotalReceivedQty: '4.00',
    TotalReceivedCost: 0,
    ToStockId: 3011,
    OrderType: 3,
    OrderStatus: 'BrandNew',
    Completed: false,
    Products: [
      {
        ProductId: 4711,
        Size: 2,
        SizeLabel: 9,
        Name: 'Coat',
        Number: '100',
        Variant: '01',
        Color: 'Red',
        Label: 'M',
        Description: null,
        QtyConfirmed: 12,
        QtyReceived: 4,
        Cost: 199.9,
        Identifier: '0701',
      },
    ],
  }

  test('When orders are as documented, then each field has its place, and codes are kept as they are', async () => {
    await using given = await givenAnswer({ body: [ORDER] })
    expect((await given.platform.goodsDeliveries.list('3011')).rows).toEqual([
      {
        orderId: '501',
        number: 'PO-100',
        description: null,
        orderDate: '2026-11-20T12:00:00',
        brand: 'Nord',
        season: 'BASIC',
        confirmedQuantity: '12',
        confirmedCost: '2398.8',
        receivedQuantity: '4',
        receivedCost: '0',
        stockId: '3011',
        type: '3',
        status: 'BrandNew',
        completed: false,
        products: [
          {
            productId: '4711',
            gtin: '0701',
            name: 'Coat',
            number: '100',
            variant: '01',
            color: 'Red',
            label: 'M',
            description: null,
            confirmedQuantity: '12',
            receivedQuantity: '4',
            cost: '199.9',
          },
        ],
        record: ORDER,
      },
    ])
    expect(given.server.asked[0]?.line).toBe('GET /api/GetOrdersV3?stockid=3011')
  })

  test('When an order says little, then the rest is null; one of another stock is left out', async () => {
    await using given = await givenAnswer({
      body: [
        { orderid: '502', Products: null },
        { ...ORDER, ToStockId: 9999 },
      ],
    })
    expect((await given.platform.goodsDeliveries.list('3011')).rows).toMatchObject([
      { orderId: '502', stockId: null, type: null, completed: null, confirmedCost: null, products: [] },
    ])
  })
})
