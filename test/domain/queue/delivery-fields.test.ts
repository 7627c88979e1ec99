import { expect, test } from 'vitest'
import { readDelivery } from '../../../src/payloads/goods.ts'

/* Spec, "Delivery webhook payload". */
test('When a direct delivery is read, then its company, the level of each article and what was booked in are kept, with their cost', () => {
  const delivery = readDelivery({
    stockId: 12,
    companyId: 3,
    isCompleted: true,
    orderId: 4711,
    products: [
      {
        identifier: '7090012340011',
        gtin: '7090012340011',
        quantityExpected: 3,
        quantityReceived: 3,
        currentStockLevel: 10,
        costPrice: 120,
        costPriceCurrency: 'NOK',
        stockMovements: [
          { movementId: 880, createdDateTime: '2026-08-03T10:15:00', quantity: 2, costPrice: 118.5 },
          { movementId: 881, createdDateTime: '2026-08-04T09:00:00', quantity: 1, costPrice: 123 },
        ],
      },
    ],
  })

  expect(delivery).toMatchObject({
    companyId: '3',
    lines: [
      {
        currentLevel: '10',
        movements: [
          { movementId: '880', at: '2026-08-03T10:15:00', quantity: '2', cost: { amount: '118.5', currency: 'NOK' } },
          { movementId: '881', quantity: '1', cost: { amount: '123' } },
        ],
      },
    ],
  })
})

test('When a planned delivery has not come yet, then nothing was booked in, and no level is made up', () => {
  const products = [{ identifier: 'A', gtin: '', quantityExpected: 3, quantityReceived: 0, stockMovements: [] }]
  expect(readDelivery({ orderId: 1, products }).lines).toMatchObject([{ currentLevel: null, movements: [] }])
})
