import { describe, expect, test } from 'vitest'
import type { SubmittedSale } from '../../../src/domain/catalogue/submitted.ts'
import type { BatchResult } from '../../../src/ports/ports.ts'
import { createTestClock } from '../../clock.ts'
import { attempt, batchOf, toSandbox, toServer } from './given.ts'

const MINUTE = 60_000

const prices = ['1', '2'].map((gtin) => ({ list: 'Club', gtin, price: '10' }))
const levels = ['1', '2'].map((gtin) => ({ stockId: '12', gtin, quantity: '3' }))
const products = ['A', 'B'].map((extId) => ({ extId, name: 'Jacket', price: '10' }))

function namesOf(results: BatchResult) {
  return results.map((result) => (result instanceof Error ? result.name : 'done'))
}

function saleOf(customer: SubmittedSale['customer']): SubmittedSale {
  return {
    saleGuid: '7a1f3f5e-51f2-4b6e-9a3d-0f6f5b1f7a10',
    orderNo: 'W-1',
    storeId: '42',
    saleDateTime: '2026-11-20T10:00:00Z',
    customer,
    lines: [{ gtin: '1', price: '10', quantity: '1', stockId: '-1' }],
    payments: [{ amount: '10', type: 99 }],
  }
}

describe('a request with many in it', () => {
  for (const status of [400, 413, 422] as const)
    test(`When it is refused (${status}), then all of them are, together; alone, one is at fault`, async () => {
      await using given = await toServer()
      given.server.play({ status, body: 'extId B is unknown' })
      const { port } = given
      const both = ['RefusedTogetherError', 'RefusedTogetherError']
      expect(namesOf(await port.savePrices(batchOf(prices)))).toEqual(both)
      expect(namesOf(await port.setStock(batchOf(levels)))).toEqual(both)
      const [first] = await port.upsertProducts(batchOf(products))
      expect(first).toMatchObject({
        name: 'RefusedTogetherError',
        message: expect.stringContaining('; it names extId'),
      })
      expect(namesOf(await port.setStock(batchOf(levels.slice(1))))).toEqual(['PermanentError'])
      expect(namesOf(await port.upsertProducts(batchOf(products.slice(1))))).toEqual(['PermanentError'])
    })

  test('When one cannot even be written, then nothing is sent, and it is looked for in the same way', async () => {
    await using given = await toServer()
    const results = await given.port.setStock(batchOf([...levels, { stockId: '12', gtin: '', quantity: '1' }]))
    expect(namesOf(results)).toEqual(Array(3).fill('RefusedTogetherError'))
    expect(given.server.asked).toEqual([])
  })

  test('When it is told which one failed, then the others are done', async () => {
    await using given = await toServer()
    const failed = { isNew: true, product: { extId: 'B' }, errors: { Season: 'It is missing.' } }
    given.server.play({ body: { created: 1, updated: 0, unprocessedProducts: [failed] } })
    expect(await given.port.upsertProducts(batchOf(products))).toMatchObject([
      { note: 'created' },
      { name: 'PermanentError', message: 'platform: the product was not taken: Season: It is missing.' },
    ])
  })

  test('When one failed and it is not told which, then halves will tell', async () => {
    await using given = await toServer()
    const failed = { isNew: true, product: {}, errors: { Season: 'It is missing.' } }
    given.server.play({ body: { created: 1, updated: 0, unprocessedProducts: [failed] } })
    const results = await given.port.upsertProducts(batchOf(products))
    expect(namesOf(results)).toEqual(['RefusedTogetherError', 'RefusedTogetherError'])
  })

  test('When the platform goes away after a part of it, then that part is done', async () => {
    const clock = createTestClock()
    await using given = await toServer({ clock })
    given.server.play([{ body: { created: 1, updated: 0 } }, { status: 503, headers: { 'retry-after': '60' } }])
    const large = products.map((one) => ({ ...one, description: 'x'.repeat(1_500_000) }))
    expect(await given.port.upsertProducts(batchOf(large))).toMatchObject([
      { note: 'created' },
      { name: 'RetryLaterError', scope: 'destination' },
    ])
  })

  for (const [status, scope] of [
    [500, 'item'],
    [502, 'destination'],
    [504, 'destination'],
  ] as const)
    test(`When it fails with a ${status}, then it may pass; when it has failed so for long, then it goes out in halves`, async () => {
      await using given = await toServer()
      given.server.play({ status })
      const since = (ago: number) => batchOf(prices, { firstTriedAt: Date.now() - ago })
      expect(namesOf(await given.port.savePrices(since(MINUTE)))).toEqual(['RetryLaterError', 'RetryLaterError'])
      const later = await given.port.savePrices(since(11 * MINUTE))
      expect(namesOf(later)).toEqual(['RefusedTogetherError', 'RefusedTogetherError'])
      const [alone] = await given.port.savePrices(since(11 * MINUTE).slice(1))
      expect(alone).toMatchObject({ name: 'RetryLaterError', scope })
    })
})

test('When the platform refuses to look up one product, then only its cost price is dead', async () => {
  await using given = await toServer()
  const { server, port } = given
  server.play({ status: 200, body: 'Ok' })
  server.play({ status: 400, body: 'a dangerous path' }, '/api/Products/A%3AB')
  server.play({ body: { productid: 7, extId: 'C', name: 'Jacket' } }, '/api/Products/C')
  const costs = ['A:B', '..', 'C'].map((productExtId) => ({ currency: 'NOK', productExtId, price: '1' }))
  expect(await port.saveCosts(batchOf(costs))).toMatchObject([
    { name: 'PermanentError', code: 'http-400' },
    { name: 'PermanentError', code: 'invalid-request' },
    { links: [{ kind: 'product', id: 'C', theirId: '7' }] },
  ])
})

test('When the platform does not know the GTIN of one cost price, then halves will tell which, and nobody is asked for a product', async () => {
  await using given = await toServer()
  const { server, port } = given
  server.play({ status: 400, body: { message: 'no such GTIN: 2' } }, '/api/Pricelist/cost')
  const costs = ['1', '2'].map((gtin) => ({ currency: 'NOK', gtin, price: '1' }))
  expect(namesOf(await port.saveCosts(batchOf(costs)))).toEqual(['RefusedTogetherError', 'RefusedTogetherError'])
  expect(namesOf(await port.saveCosts(batchOf(costs.slice(1))))).toEqual(['PermanentError'])
  server.play({ status: 200 }, '/api/Pricelist/cost')
  expect(namesOf(await port.saveCosts(batchOf(costs.slice(0, 1))))).toEqual(['done'])
  expect(new Set(server.asked.map(({ line }) => line))).toEqual(new Set(['POST /api/Pricelist/cost']))
})

describe('an effect that must not happen twice', () => {
  for (const status of [408, 500, 502, 504] as const)
    test(`When an order or a sale is answered ${status}, then nobody knows whether it is there`, async () => {
      await using given = await toServer()
      given.server.play({ status })
      const { saleGuid: _, ...sale } = saleOf({ customerId: '17' })
      const customer = { email: '', firstName: 'Kari', lastName: 'Li', phone: '', phoneCountryCode: '' }
      const order = { ...sale, stockId: '12', customer, payments: [] }
      const unknown = { name: 'UnknownOutcomeError', code: `http-${status}` }
      await expect(given.port.createOrder(order, attempt())).rejects.toMatchObject(unknown)
      await expect(given.port.importSale(saleOf({ customerId: '17' }), attempt())).rejects.toMatchObject(unknown)
    })

  test('When a delivery is answered 500, then it may be there, unless a request id keeps it from being two', async () => {
    const delivery = {
      extRef: 'PO-1',
      stockId: '12',
      storeId: '42',
      insertAsConfirmed: true,
      orderLines: [{ gtin: '1', qty: '3' }],
    }
    for (const [preset, name] of [
      ['spec', 'UnknownOutcomeError'],
      ['frontsystems-v2', 'RetryLaterError'],
    ] as const) {
      await using given = await toServer({ preset })
      given.server.play({ status: 500 })
      await expect(given.port.createDelivery(delivery, attempt())).rejects.toMatchObject({ name, code: 'http-500' })
    }
  })

  test('When the platform takes nothing now (503), then it was not executed, and everything waits', async () => {
    await using given = await toServer()
    given.server.play({ status: 503 })
    await expect(given.port.importSale(saleOf({ customerId: '17' }), attempt())).rejects.toMatchObject({
      name: 'RetryLaterError',
      scope: 'destination',
    })
  })

  test('When its customer is answered 500, then the sale was not sent, and may be tried again', async () => {
    await using given = await toServer()
    given.server.play({ status: 500 })
    await expect(given.port.importSale(saleOf({ extId: 'C-1' }), attempt())).rejects.toMatchObject({
      name: 'RetryLaterError',
      scope: 'item',
    })
  })
})

describe('keys that are refused', () => {
  test.each([401, 403])('When the platform answers %i, then everything waits, and nothing is dead', async (status) => {
    await using given = await toServer()
    given.server.play({ status })
    const { port } = given
    const refused = { name: 'RetryLaterError', scope: 'destination', message: expect.stringContaining('our keys') }
    expect(await port.upsertProducts(batchOf(products))).toMatchObject([refused, refused])
    expect(await port.setStock(batchOf(levels))).toMatchObject([refused, refused])
    await expect(port.saveCustomer({ extId: 'C-1' }, attempt())).rejects.toMatchObject(refused)
    const call = { port: 'platform', method: 'saveCustomer', argument: { extId: 'C-1' } } as const
    await expect(port.find(attempt(), call)).rejects.toThrow('platform.saveCustomer cannot be looked for')
  })

  test('When they are wrong at the sandbox, then no message shows them', async () => {
    await using given = await toSandbox({ apiKey: 'a-wrong-key' })
    const [error] = await given.port.setStock(batchOf(levels))
    expect(String(error)).toContain('401')
    expect(String(error)).not.toContain('a-wrong-key')
  })
})
