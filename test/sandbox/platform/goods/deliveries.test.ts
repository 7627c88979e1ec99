import { describe, expect, test } from 'vitest'
import { givenPlatform, startReceiver, subscribe } from '../given.ts'
import { call, levelOf, TEE } from './given.ts'

const SOCKS = '7090012340059'
const ORDER = {
  extRef: 'ASN-1',
  stockId: 12,
  storeId: 42,
  orderDate: '2026-11-18T08:00:00Z',
  expectedDeliveryDate: '2026-11-23T08:00:00Z',
  comment: 'Two boxes',
  insertAsConfirmed: true,
  orderLines: [
    { gtin: TEE.gtin, qty: 10, cost: 99.5 },
    { gtin: SOCKS, qty: 4 },
  ],
}
const PAYLOAD =
  'stockId stockExtId isCompleted products expectedDeliveryDate companyId orderId orderReference comment type status createdDateTime updatedDateTime'
const PRODUCT =
  'identifier gtin quantityExpected quantityReceived currentStockLevel costPrice costPriceCurrency stockMovements'
const RECORD =
  'OrderId Ordernumber Description OrderDate Brand Season TotalConfirmedQty TotalConfirmedCost TotalReceivedQty TotalReceivedCost ToStockId OrderType OrderStatus Completed Products'
const ROW =
  'ProductId Size SizeLabel Name Number Variant Color Label Description QtyConfirmed QtyReceived Cost Identifier'

function fields(value: object | undefined): string {
  return Object.keys(value ?? {})
    .sort()
    .join(' ')
}

function sorted(names: string): string {
  return names.split(' ').sort().join(' ')
}

describe('deliveries', () => {
  test('When one is confirmed, then it is planned: nothing moves, and the payload has every field of the spec', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await subscribe(platform, 'DeliveryCreated', receiver.url)
    const { status, body: orderId } = await call(platform, 'put', '/api/Delivery', ORDER)
    expect([status, orderId]).toEqual([200, expect.any(Number)])
    await platform.settled()
    const [created] = receiver.bodies as unknown as { products: object[] }[]
    expect(fields(created)).toBe(sorted(PAYLOAD))
    expect(created?.products.map(fields)).toEqual([sorted(PRODUCT), sorted(PRODUCT)])
    expect(created).toMatchObject({
      type: 'PlannedDelivery',
      isCompleted: false,
      orderId,
      orderReference: 'ASN-1',
      expectedDeliveryDate: '2026-11-23',
      products: [
        {
          gtin: TEE.gtin,
          quantityExpected: 10,
          quantityReceived: 0,
          currentStockLevel: 30,
          costPrice: 99.5,
          stockMovements: [],
        },
        { gtin: SOCKS, costPrice: null, costPriceCurrency: 'NOK' },
      ],
    })
    expect(await levelOf(platform, 12, TEE.gtin)).toBe(30)
  })

  test('When one is not confirmed, then it is direct: in the stock at once, delivered, with its movements (facts, §1c)', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await subscribe(platform, 'DeliveryCreated', receiver.url)
    await call(platform, 'put', '/api/Delivery', { ...ORDER, insertAsConfirmed: false })
    await platform.settled()
    expect(receiver.bodies).toMatchObject([
      {
        type: 'DirectDelivery',
        status: 'Delivered',
        isCompleted: true,
        products: [
          {
            currentStockLevel: 40,
            stockMovements: [{ movementId: expect.any(Number), quantity: 10, costPrice: 99.5 }],
          },
          { currentStockLevel: 34 },
        ],
      },
    ])
    expect(await levelOf(platform, 12, TEE.gtin)).toBe(40)
  })

  test('When it comes again under the same requestId, by either name, then it is the same delivery, told once (facts, line of L407)', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await subscribe(platform, 'DeliveryCreated', receiver.url)
    const order = { ...ORDER, insertAsConfirmed: false, requestId: '7d1f7a8e-4a31-4f0c-9f36-0a0c8f3d2b11' }
    const { body: first } = await call(platform, 'put', '/api/Delivery', order)
    const { body: second } = await call(platform, 'put', '/api/PurchaseOrder', order)
    const { body: other } = await call(platform, 'put', '/api/Delivery', { ...ORDER, requestId: undefined })
    await platform.settled()
    expect(second).toBe(first)
    expect(other).not.toBe(first)
    expect(receiver.bodies).toHaveLength(2)
    expect(await levelOf(platform, 12, TEE.gtin)).toBe(40)
  })
})

describe('receiving', () => {
  test('When a store receives some and then the rest, then stock and events follow step by step', async () => {
    await using platform = await givenPlatform()
    const kinds = ['DeliveryUpdated', 'DeliveryItemsReceived', 'DeliveryCompleted', 'StockMovementCreated']
    await using updated = await startReceiver()
    await using received = await startReceiver()
    await using completed = await startReceiver()
    await using moved = await startReceiver()
    const receivers = [updated, received, completed, moved]
    for (const [at, { url }] of receivers.entries()) await subscribe(platform, kinds[at] ?? '', url)
    const { body: orderId } = await call(platform, 'put', '/api/Delivery', ORDER)

    platform.receiveDelivery(orderId, { lines: [{ gtin: TEE.gtin, quantity: 6 }] })
    await platform.settled()
    expect(receivers.map(({ bodies }) => bodies.length)).toEqual([1, 1, 0, 1])
    const part = [
      { quantityReceived: 6, currentStockLevel: 36, stockMovements: [{ quantity: 6 }] },
      { stockMovements: [] },
    ]
    expect(updated.bodies).toMatchObject([{ isCompleted: false, products: part }])

    platform.receiveDelivery(orderId)
    await platform.settled()
    expect(receivers.map(({ bodies }) => bodies.length)).toEqual([2, 2, 1, 3])
    const whole = [{ quantityReceived: 10, stockMovements: { length: 2 } }, { quantityReceived: 4 }]
    expect(completed.bodies).toMatchObject([{ isCompleted: true, status: 'Delivered', products: whole }])
    expect(moved.bodies).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: 'PurchaseOrderReceived', quantity: 4, stockLevel: 40 })]),
    )
    expect(await levelOf(platform, 12, TEE.gtin)).toBe(40)
  })
})

describe('the list of deliveries', () => {
  test('When a stock is asked for, then it has the deliveries to that stock, with every field of the spec', async () => {
    await using platform = await givenPlatform()
    await call(platform, 'put', '/api/Delivery', ORDER)
    await call(platform, 'put', '/api/Delivery', { ...ORDER, stockId: 13, storeId: 43 })
    const { body } = await call(platform, 'get', '/api/GetOrdersV3?stockid=12')
    expect(body.map(fields)).toEqual([sorted(RECORD)])
    expect(body[0].Products.map(fields)).toEqual([sorted(ROW), sorted(ROW)])
    expect(body[0]).toMatchObject({
      Ordernumber: 'ASN-1',
      ToStockId: 12,
      TotalConfirmedQty: 14,
      TotalConfirmedCost: 995,
    })
    expect(body[0].Products[0]).toMatchObject({ Identifier: TEE.gtin, Label: 'M', SizeLabel: 1, QtyConfirmed: 10 })
  })
})
