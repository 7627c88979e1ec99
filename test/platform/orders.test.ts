import { describe, expect, test } from 'vitest'
import type { NewOrder, PlatformOrder } from '../../src/platform/resources/orders.ts'
import { failureOf, givenAnswer, givenPlatform } from './given.ts'

const STORE = { storeId: '42', stockId: '12' }
const HOME = { firstName: 'Liv', address1: 'Storgata 1', address2: null, city: 'Oslo', countryCode: 'NO' }
const ORDER: NewOrder = {
  orderNo: 'W-1',
  reservationLengthInHours: 48,
  customer: { firstName: 'Liv', email: 'liv@example.com', phone: '99887766', phoneCountryCode: '47' },
  billingAddress: HOME,
  lines: [{ gtin: '0701', price: '1399.50', quantity: '2' }],
  payments: [{ amount: '2799.00', currency: 'nok', type: 'Card' }],
  saleDateTime: Date.UTC(2026, 10, 20, 12),
  storeName: 'Oslo City',
}

describe('sending an order', () => {
  test('When the spec is spoken, then the store is named by its id and decimals are text', async () => {
    await using given = await givenAnswer({ body: 77 })
    expect(await given.platform.orders.create(ORDER, STORE)).toBe('77')
    const [asked] = given.server.asked
    expect(asked?.line).toBe('POST /api/Omnichannel')
    expect(asked?.headers).toMatchObject({ 'x-storeid': '42' })
    expect(asked?.headers).not.toHaveProperty('x-stockid')
    expect(JSON.parse(asked?.body ?? '')).toEqual({
      orderNo: 'W-1',
      status: 'UnHandled',
      reservationLengthInHours: 48,
      customer: ORDER.customer,
      billingAddress: HOME,
      orderLines: [{ gtin: '0701', price: '1399.5', quantity: '2' }],
      paymentLines: [{ amount: '2799', currency: 'NOK', type: 'Card' }],
      saleDateTime: '2026-11-20T12:00:00.000Z',
      store: { storeName: 'Oslo City' },
    })
  })

  test('When the public API is spoken, then by its stock, with numbers, other names and the customer’s address', async () => {
    await using given = await givenAnswer({ body: { orderId: '77' } }, { preset: 'frontsystems-v2' })
    expect(await given.platform.orders.create(ORDER, STORE)).toBe('77')
    const [asked] = given.server.asked
    expect(asked?.line).toBe('POST /api/OmniChannel')
    expect(asked?.headers).toMatchObject({ 'x-stockid': '12' })
    expect(asked?.headers).not.toHaveProperty('x-storeid')
    expect(JSON.parse(asked?.body ?? '')).toEqual({
      orderNo: 'W-1',
      status: 'UnHandled',
      reservationLengthInHours: 48,
      customer: {
        firstName: 'Liv',
        email: 'liv@example.com',
        phone: '99887766',
        phoneCountryPrefix: '47',
        address: HOME,
      },
      orderLines: [{ gtin: '0701', price: 1399.5, quantity: 2 }],
      paymentLines: [{ amount: 2799, currency: 'NOK', type: 'Card' }],
      createdDateTime: '2026-11-20T12:00:00.000Z',
      store: { storeName: 'Oslo City' },
    })
  })

  test.each([
    [0, 'PermanentError', 'refused'],
    [{ orderId: -1 }, 'PermanentError', 'refused'],
    [{ id: '00000000-0000-0000-0000-000000000000' }, 'PermanentError', 'refused'],
    ['<html>Sign in</html>', 'UnknownOutcomeError', 'not-json'],
    [[{ orderId: 77 }], 'UnknownOutcomeError', 'no-success'],
    [{ success: false, message: 'no such store' }, 'UnknownOutcomeError', 'no-success'],
    [{ errors: ['no such store'] }, 'UnknownOutcomeError', 'no-success'],
  ])('When the answer is %j, then it was not executed, or nobody knows', async (body, name, code) => {
    await using given = await givenAnswer({ body })
    expect(await failureOf(given.platform.orders.create(ORDER, STORE))).toMatchObject({ name, code })
  })

  test.each([
    ['', null],
    [{}, null],
    ['Ok', null],
    [{ success: true, error: null }, null],
    [{ id: '6fa459ea-ee8a-3ca4-894e-db77e160355e' }, '6fa459ea-ee8a-3ca4-894e-db77e160355e'],
  ])('When no document shows the answer, and it is %j, then the order is there, with the id %j', async (body, id) => {
    await using given = await givenAnswer([{ body }, { status: 204 }])
    expect(await given.platform.orders.create(ORDER, STORE)).toBe(id)
    expect(await given.platform.orders.create(ORDER, STORE)).toBeNull()
    await using documented = await givenAnswer([{ body }, { status: 204 }], { preset: 'frontsystems-v2' })
    const unknown = { name: 'UnknownOutcomeError', code: 'no-id' }
    expect(await failureOf(documented.platform.orders.create(ORDER, STORE))).toMatchObject(unknown)
    expect(await failureOf(documented.platform.orders.create(ORDER, STORE))).toMatchObject(unknown)
  })

  test.each([
    ['lines', { lines: [] }],
    ['line 1: the price', { lines: [{ gtin: '0701', price: '1,50', quantity: '1' }] }],
    ['line 1: the gtin', { lines: [{ gtin: '', price: '1', quantity: '1' }] }],
    ['payment 1: the currency', { payments: [{ amount: '1', currency: 'kr', type: 'Card' }] }],
    ['orderNo', { orderNo: ' ' }],
    ['reservationLengthInHours', { reservationLengthInHours: 0.5 }],
    ['saleDateTime', { saleDateTime: 'yesterday' }],
  ])('When %s cannot be sent, then the error names it and no person, and nothing is sent', async (named, part) => {
    await using given = await givenPlatform()
    const failure = await failureOf(given.platform.orders.create({ ...ORDER, ...part }, STORE))
    expect(failure).toMatchObject({ name: 'PermanentError', code: 'invalid-request' })
    expect(failure.message).toContain(named)
    expect(failure.message).not.toMatch(/Liv|example\.com|99887766|Storgata/)
    expect(given.server.asked).toEqual([])
  })

  test('When the platform refuses and says the customer back, then only the fields are named', async () => {
    await using given = await givenAnswer({
      status: 400,
      body: { message: 'orderLines[0].price of Liv, Storgata 1: not a number' },
    })
    const failure = await failureOf(given.platform.orders.create(ORDER, STORE))
    expect(failure.message).toContain('it names orderLines, price')
    expect(failure.message).not.toMatch(/Liv|Storgata/)
  })

  test('When an order is changed or deleted, then whole, with its status, and by its number', async () => {
    await using given = await givenAnswer({ body: 77 })
    await given.platform.orders.update({ ...ORDER, status: 'Rejected' }, STORE)
    await given.platform.orders.delete('W 1', { storeId: '42' })
    const [put, deleted] = given.server.asked
    expect(put?.line).toBe('PUT /api/Omnichannel')
    expect(JSON.parse(put?.body ?? '')).toMatchObject({ orderNo: 'W-1', status: 'Rejected' })
    expect(deleted?.line).toBe('DELETE /api/Omnichannel?orderNo=W%201')
    expect([put, deleted].map((asked) => asked?.headers['x-storeid'])).toEqual(['42', '42'])
  })
})

describe('reading orders', () => {
  const shared = {
    orderId: 77,
    orderNo: 'W-1',
    status: 'HeldByNobodyKnows',
    orderEvents: [{ orderEventId: 1, createdDateTime: '2026-11-20T12:00:00', text: 'Picked', eventType: 'Status' }],
    fulfillmentLocation: { stockId: 12, stockName: 'Oslo City', shipments: [{ id: 'P1', items: [{ gtin: '0701' }] }] },
  }
  const line = { rowId: '1', gtin: '0701', status: 'Accepted' }
  const inSpec = {
    ...shared,
    customer: { firstName: 'Liv', phone: '99887766', phoneCountryCode: '47' },
    billingAddress: HOME,
    orderLines: [{ ...line, price: '1399.50', quantity: '2' }],
    paymentLines: [{ amount: '2799.00', currency: 'nok', type: 'Card' }],
  }
  const inPublic = {
    ...shared,
    customer: { firstName: 'Liv', phone: '99887766', phoneCountryPrefix: '47', address: HOME },
    orderLines: [{ ...line, price: 1399.5, quantity: 2 }],
    paymentLines: [{ amount: 2799, currency: 'NOK', type: 'Card' }],
    shippingAddress: { address1: '', city: null },
  }

  test.each([
    ['the spec', inSpec],
    ['the public API', inPublic],
    ['a list of one', [inPublic]],
  ])('When an order comes in the form of %s, then it is the same order', async (_, body) => {
    await using given = await givenAnswer({ body })
    const order = await given.platform.orders.read('W-1')
    expect(given.server.asked[0]?.line).toBe('GET /api/Omnichannel?orderNo=W-1')
    expect(order).toMatchObject({
      orderId: '77',
      status: 'HeldByNobodyKnows',
      lines: [{ quantity: '2', status: 'Accepted' }],
      fulfillment: { stockId: '12', shipments: [{ id: 'P1' }] },
      customer: { phone: '99887766', phoneCountryPrefix: '47' },
      shippingAddress: null,
    } satisfies Partial<Record<keyof PlatformOrder, unknown>>)
  })

  test.each([
    ['404', { status: 404 }],
    ['204', { status: 204 }],
    ['null', { body: null }],
    ['an empty list', { body: [] }],
  ])('When the answer is %s, then there is no such order', async (_, reply) => {
    await using given = await givenAnswer(reply)
    expect(await given.platform.orders.read('W-1')).toBeNull()
  })
})
