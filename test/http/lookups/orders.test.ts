import { expect, test } from 'vitest'
import type { FoundOrder } from '../../../src/domain/orders/order.ts'
import { StorageUnavailableError } from '../../../src/domain/values/errors.ts'
import { eventually } from '../../eventually.ts'
import { finding, hanging, order, startLookups } from './app.ts'

test('when a POS asks for an order, then it is answered as the platform has one, and the question is noted', async () => {
  await using app = await startLookups({ orders: [finding('shop', order())] })

  const answer = await app.orders(' 1001 ')

  expect(answer).toMatchObject({
    status: 200,
    headers: { 'tillbridge-sources': 'shop' },
    body: {
      orderNo: '1001',
      createdDateTime: '2026-11-20T10:00:00Z',
      total: 798,
      status: null,
      orderLines: [
        {
          rowId: '77',
          gtin: '7040000000016',
          externalSKU: 'JKT-S',
          quantity: 2,
          returnedQuantity: 1,
          price: 399,
          vatPercent: 0.25,
        },
      ],
      paymentLines: [{ type: 'Card', amount: 798, currency: 'NOK', txRef: 'tx-1' }],
      customer: { email: 'kari@example.com', phoneCountryPrefix: '47', phone: '91234567' },
      shippingAddress: { address1: 'Storgata 1', countryCode: 'NO', address2: null },
    },
  })
  await eventually(() =>
    expect(app.noted).toMatchObject([{ number: '1001', found: ['shop'], missing: [], at: expect.any(Number) }]),
  )
})

test('when several sources find orders, then that of exactly this number is answered, wherever it is', async () => {
  await using app = await startLookups({
    orders: [
      finding('oms', order({ number: '#A-1001' })),
      finding('shop', order({ number: 'A-1001', currency: 'SEK' })),
    ],
  })
  expect((await app.orders('A-1001')).body).toMatchObject({ orderNo: 'A-1001', currency: 'SEK' })
  expect((await app.orders('a1001')).body).toMatchObject({ orderNo: '#A-1001' })
})

test('when a web order has that number, however it is written, then each is told from the other', async () => {
  await using app = await startLookups({
    orders: [
      finding('shop', order({ number: '1008', posId: 'pos:1008' })),
      finding('oms', order({ number: '#1008', currency: 'SEK' }), order({ number: '10080' })),
    ],
  })
  const { body } = await app.orders('1008')
  expect(body).toMatchObject({ orderNo: '#1008', currency: 'SEK', comment: expect.stringContaining('pos:1008') })
})

test('when all say that there is none, then it is 404; when one did not answer, then it may be there: 503', async () => {
  await using all = await startLookups({ orders: [finding('oms'), finding('shop')] })
  await using some = await startLookups({
    orders: [finding('oms'), hanging('shop')],
    config: { orders: { budget: '50ms' } },
  })
  expect(await all.orders('9')).toMatchObject({ status: 404, body: { code: 'order-not-found' } })
  expect(await some.orders('9')).toMatchObject({
    status: 503,
    headers: { 'tillbridge-missing': 'shop', 'retry-after': '5' },
    body: { code: 'order-perhaps-elsewhere', detail: expect.stringContaining('shop') },
  })
  await eventually(() => expect(some.noted).toMatchObject([{ number: '9', found: [], missing: ['shop'] }]))
})

test('when the question cannot be noted, then the POS has its answer all the same', async () => {
  await using app = await startLookups({
    orders: [finding('shop', order())],
    noteLookup: () => Promise.reject(new StorageUnavailableError('the disk is full')),
  })
  expect((await app.orders('1001')).status).toBe(200)
  await eventually(() => expect(app.lines.map(({ msg }) => msg)).toContain('lookup.not-noted'))
})

test('when config names the parameter and a template, then both are used', async () => {
  await using app = await startLookups({
    orders: [finding('shop', order())],
    config: {
      orders: {
        parameter: 'orderNumber',
        answer: '{ "no": order.number, "left": [order.lines.($number(quantity) - $number(returned))] }',
      },
    },
  })
  expect((await app.get('/api/orders/search?orderNumber=1001')).body).toEqual({ no: '1001', left: [1] })
  expect((await app.orders('1001')).status).toBe(400)
})

test.each([
  ['an order without a number', { lines: [], payments: [] }],
  ['an order without lines', { number: '1001' }],
  ['a phone that is a number', { ...order(), customer: { phone: 91234567 } }],
])('when a source of orders answers %s, then the POS has that of the other one', async (_, row) => {
  await using app = await startLookups({
    orders: [finding('oms', row as unknown as FoundOrder), finding('shop', order())],
  })
  expect(await app.orders('1001')).toMatchObject({
    status: 200,
    headers: { 'tillbridge-sources': 'shop', 'tillbridge-missing': 'oms' },
    body: { orderNo: '1001' },
  })
})

test('when a source finds orders of other numbers only, then the POS does not get the order of somebody else', async () => {
  await using app = await startLookups({
    orders: [finding('oms', order({ number: '10010' }), order({ number: '10011' }))],
  })
  expect(await app.orders('1001')).toMatchObject({ status: 404, body: { code: 'order-not-found' } })
})

test('when signs make two numbers alike, then neither is answered but by its exact number', async () => {
  await using app = await startLookups({
    orders: [finding('oms', order({ number: '1-11' }), order({ number: '11-1' }))],
  })
  expect((await app.orders('111')).status).toBe(404)
  expect((await app.orders('11-1')).body).toMatchObject({ orderNo: '11-1' })
})

test('when a POS asks for an order by an e-mail address, then that is not kept', async () => {
  await using app = await startLookups({ orders: [finding('oms')] })
  await app.orders('kari@example.com')
  await app.orders('1001')
  await eventually(() => expect(app.noted.map(({ number }) => number)).toEqual(['1001']))
  expect(JSON.stringify(app.lines)).not.toMatch(/kari/)
})
