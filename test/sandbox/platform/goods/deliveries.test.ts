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

describe('deliveries', () => {
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
