import { expect, test } from 'vitest'
import { failureOf, givenPlatform } from './given.ts'

const sale = {
  saleGuid: '5a1f0b52-7a43-4f0e-9b39-0d6a6c2f7b11',
  extRef: 'W-1001',
  customerId: '77',
  saleDateTime: Date.UTC(2026, 10, 20, 3),
  lines: [
    { gtin: '0701', price: '199.99', quantity: '2', stockId: '-1' },
    { gtin: '0702', price: '499.99', quantity: '1', stockId: '3011' },
  ],
  payments: [{ amount: '899.97', type: 99 }],
}

test('When an online order is imported, then it goes to its store and the id of the sale comes back', async () => {
  await using given = await givenPlatform()
  given.server.play({ body: 4711 })
  expect(await given.platform.sales.import(sale, { storeId: '12' })).toBe('4711')
  const [asked] = given.server.asked
  expect(asked?.line).toBe('PUT /api/Sale')
  expect(asked?.headers).toMatchObject({ 'x-storeid': '12' })
  expect(JSON.parse(asked?.body ?? '')).toEqual({
    saleGuid: sale.saleGuid,
    extRef: 'W-1001',
    customerID: 77,
    saleDateTime: '2026-11-20T03:00:00.000Z',
    salesLines: [
      { identity: '0701', price: 199.99, qty: 2, stockid: -1 },
      { identity: '0702', price: 499.99, qty: 1, stockid: 3011 },
    ],
    paymentLines: [{ amount: 899.97, paymentType: 99 }],
  })
})

test('When the payments differ from the lines, then both sums are named and nothing is sent', async () => {
  await using given = await givenPlatform()
  const call = given.platform.sales.import({ ...sale, payments: [{ amount: '899.96', type: 99 }] }, { storeId: '12' })
  const failure = await failureOf(call)
  expect(failure).toMatchObject({ name: 'PermanentError', code: 'invalid-request' })
  expect(failure.message).toContain('the lines add up to 899.97, the payments to 899.96')
  expect(given.server.asked).toEqual([])
})

test.each([
  [0, 'PermanentError'],
  [-1, 'PermanentError'],
  ['Ok', 'UnknownOutcomeError'],
])('When the answer is %s, then the import did not succeed', async (body, name) => {
  await using given = await givenPlatform()
  given.server.play({ body })
  expect(await failureOf(given.platform.sales.import(sale, { storeId: '12' }))).toMatchObject({ name })
})
