import { describe, expect, test } from 'vitest'
import type { PlatformOptions } from '../../src/platform/platform.ts'
import { API_KEY, expectRefused, failureOf, type Given, givenAnswer, givenPlatform, SUBSCRIPTION_KEY } from './given.ts'

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
  await using given = await givenAnswer({ body: 4711 })
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
  await expectRefused(given, call, 'the lines add up to 899.97, the payments to 899.96')
})

test.each([
  ['spec', 0, 'PermanentError'],
  ['spec', -1, 'PermanentError'],
  ['spec', [], 'UnknownOutcomeError'],
  ['frontsystems-v2', 'Ok', 'UnknownOutcomeError'],
] as const)('When the answer of %s is %j, then the import did not succeed', async (preset, body, name) => {
  await using given = await givenAnswer({ body }, { preset })
  expect(await failureOf(given.platform.sales.import(sale, { storeId: '12' }))).toMatchObject({ name })
})

test('When no document shows the answer, then a success without an id is one', async () => {
  await using given = await givenAnswer([{ body: 'Ok' }, { body: '' }, { status: 204 }])
  for (let times = 0; times < 3; times++) expect(await given.platform.sales.import(sale, { storeId: '12' })).toBeNull()
})

test('When a sale is returned, then quantities and payments are negative, and the goods come back to their stock', async () => {
  await using given = await givenAnswer({ body: { saleId: 4712 } })
  const lines = [{ gtin: '0701', price: '199.99', quantity: '-2', stockId: '3011' }]
  const refund = { ...sale, lines, payments: [{ amount: '-399.98', type: 10 }] }
  expect(await given.platform.sales.import(refund, { storeId: '12' })).toBe('4712')
  expect(sentBy(given)).toMatchObject({
    salesLines: [{ price: 199.99, qty: -2, stockid: 3011 }],
    paymentLines: [{ amount: -399.98, paymentType: 10 }],
  })
  const paidOut = { ...refund, payments: [{ amount: '399.98', type: 10 }] }
  expect((await failureOf(given.platform.sales.import(paidOut, { storeId: '12' }))).message).toContain('-399.98')
})

test('When the public API is spoken, then the stock has its name there, and what is known of payments goes along', async () => {
  await using given = await givenAnswer({ body: 4711 }, { preset: 'frontsystems-v2' })
  const payments = [{ amount: '899.97', type: 5, extRef: 'GC-1', currency: 'nok', cardType: 3 }]
  const lines = sale.lines.map((line) => ({ ...line, text: 'Shirt', vat: '0.25' }))
  await given.platform.sales.import({ ...sale, lines, payments }, { storeId: '12' })
  expect(sentBy(given)).toMatchObject({
    salesLines: [{ identity: '0701', stockID: -1, text: 'Shirt', vat: 0.25 }, { stockID: 3011 }],
    paymentLines: [{ amount: 899.97, paymentType: 5, extRef: 'GC-1', currency: 'NOK', cardType: 3 }],
  })
  expect(given.server.asked[0]?.body).not.toContain('stockid')
})

test('When payments have two currencies, then they are not added up, and nothing is sent', async () => {
  await using given = await givenPlatform()
  const payments = [
    { amount: '400', type: 99, currency: 'NOK' },
    { amount: '499.97', type: 99, currency: 'SEK' },
  ]
  const failure = await failureOf(given.platform.sales.import({ ...sale, payments }, { storeId: '12' }))
  expect(failure.message).toContain('NOK and SEK')
  expect(given.server.asked).toEqual([])
})

/* Clocks in Central Europe go forward on 29 March 2026 and back on 25 October 2026, both at 01:00 UTC. */
describe('the time of a sale', () => {
  test.each([
    ['2026-01-15T12:00:00.000Z', '2026-01-15T13:00:00'],
    ['2026-03-29T00:59:59.999Z', '2026-03-29T01:59:59.999'],
    ['2026-03-29T01:00:00.000Z', '2026-03-29T03:00:00'],
    ['2026-08-03T21:30:00.000Z', '2026-08-03T23:30:00'],
    ['2026-10-25T00:30:00.000Z', '2026-10-25T02:30:00'],
    ['2026-10-25T01:30:00.000Z', '2026-10-25T02:30:00'],
    ['2026-12-31T23:30:00.000Z', '2027-01-01T00:30:00'],
  ])('When it was at %s, then that is sent in UTC, and as %s on the wall where CET is wanted', async (utc, wall) => {
    const sent = async (options: Partial<PlatformOptions>) => {
      await using given = await givenAnswer({ body: 4711 }, options)
      await given.platform.sales.import({ ...sale, saleDateTime: Date.parse(utc) }, { storeId: '12' })
      return sentBy(given).saleDateTime
    }
    expect(await sent({})).toBe(utc)
    expect(await sent({ preset: 'frontsystems-v2' })).toBe(wall)
    expect(await sent({ endpoints: { 'sales.import': { time: 'cet' } } })).toBe(wall)
    expect(await sent({ preset: 'frontsystems-v2', endpoints: { 'sales.import': { time: 'utc' } } })).toBe(utc)
  })

  // The public API says of saleDateTime: "SaleDateTime is expected as CET". `/v1/sales` hands on the text of the OMS.
  test.each([
    ['2026-11-20T23:30:00Z', '2026-11-20T23:30:00.000Z', '2026-11-21T00:30:00'],
    ['2026-11-21T00:30:00+01:00', '2026-11-20T23:30:00.000Z', '2026-11-21T00:30:00'],
    ['2026-07-20T23:30:00.5+0300', '2026-07-20T20:30:00.500Z', '2026-07-20T22:30:00.5'],
    ['2026-11-20 23:30:00', '2026-11-20 23:30:00', '2026-11-20 23:30:00'],
    ['2026-11-20', '2026-11-20', '2026-11-20'],
  ])('When it is given as the text %s, then spec sends %s, and the public API %s', async (given, utc, wall) => {
    const sent = async (options: Partial<PlatformOptions>) => {
      await using there = await givenAnswer({ body: 4711 }, options)
      await there.platform.sales.import({ ...sale, saleDateTime: given }, { storeId: '12' })
      return sentBy(there).saleDateTime
    }
    expect(await sent({})).toBe(utc)
    expect(await sent({ preset: 'frontsystems-v2' })).toBe(wall)
  })
})

test('When the platform says the keys and the customer back, then no error shows them', async () => {
  await using given = await givenPlatform()
  const message = `The customerID 471100 is unknown to ${API_KEY} / ${SUBSCRIPTION_KEY}`
  given.server.play({ status: 400, body: { message } })
  const failure = await failureOf(given.platform.sales.import({ ...sale, customerId: '471100' }, { storeId: '12' }))
  expect(failure).toMatchObject({ name: 'PermanentError', code: 'http-400' })
  expect(failure.message).toMatch(/; it names customerID$/)
  expect(failure.message).not.toMatch(/471100|key-of-the-tests/)
})

function sentBy({ server }: Given): Record<string, unknown> {
  return JSON.parse(server.asked[0]?.body ?? '')
}
