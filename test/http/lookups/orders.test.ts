import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDirectoryPort } from '../../../src/adapters/directory/directory.ts'
import type { CustomerRecord } from '../../../src/domain/customers/customer-record.ts'
import type { FoundOrder } from '../../../src/domain/orders/order.ts'
import { DIRECTORY } from '../../../src/domain/queue/event.ts'
import { StorageUnavailableError } from '../../../src/domain/values/errors.ts'
import { phoneOf } from '../../../src/domain/values/phone.ts'
import { openTestStore } from '../../empty-store.ts'
import { eventually } from '../../eventually.ts'
import { createFolder } from '../../hub.ts'
import { finding, hanging, type LookupApp, order, person, startLookups } from './app.ts'

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

/** One customer in each country, and how people type the number there. */
const TABLE: Record<string, { phone: string; typed: string }> = {
  NO: {
    phone: '912 34 567',
    typed: '91234567 | 912 34 567 | 91 23 45 67 | +47 912 34 567 | 0047 91234567 | 4791234567 | (+47) 912-34-567',
  },
  SE: {
    phone: '070-123 45 67',
    typed:
      '0701234567 | 070-123 45 67 | 070 1234567 | 701234567 | +46701234567 | +46 (0)70 123 45 67 | 0046 70 1234567',
  },
  DK: {
    phone: '20 12 34 56',
    typed: '20123456 | 20 12 34 56 | 2012 3456 | +4520123456 | +45 20.12.34.56 | 0045 20123456 | tlf. 20 12 34 56',
  },
  FI: {
    phone: '040 1234567',
    typed: '0401234567 | 040 123 4567 | 040-1234567 | +358401234567 | +358 (0)40 123 4567 | 00358 40 1234567',
  },
  DE: {
    phone: '0151 23456789',
    typed:
      '015123456789 | 0151/23456789 | 0151 - 234 567 89 | +49 151 23456789 | +49 (0) 151 23456789 | 0049 151 23456789 | (0151) 23456789',
  },
  GB: {
    phone: '07911 123456',
    typed:
      '07911123456 | 07911 123456 | (07911) 123 456 | +44 7911 123456 | +44 (0)7911 123456 | 0044 7911 123456 | 44 7911 123456',
  },
}

const people = Object.entries(TABLE).map(([countryCode, { phone }]) =>
  person({ extId: countryCode, phone: phoneOf(null, phone, countryCode), countryCode }),
)
const spellings = Object.entries(TABLE).flatMap(([country, { typed }]) =>
  typed.split(' | ').map((one) => [one, country] as const),
)

describe('however a number is typed, the one customer who has it is found', () => {
  let directory: Awaited<ReturnType<typeof startDirectory>>
  beforeAll(async () => {
    directory = await startDirectory(people)
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  test('the table has 40 spellings or more', () => expect(spellings.length).toBeGreaterThanOrEqual(40))

  test.each(spellings)('%s is the customer of %s', async (typed, country) => {
    const { status, body } = await directory.app.customers(typed)
    expect({ status, found: body.map((one: { customerExtId: string }) => one.customerExtId) }).toEqual({
      status: 200,
      found: [country],
    })
  })

  test('+47… is found also where the plus was not escaped', async () => {
    const { body } = await directory.app.get('/api/customers/search?query=+4791234567')
    expect(body).toMatchObject([{ customerExtId: 'NO' }])
  })
})

test('when a number was kept without its country, then it is found as it was written, and with a country', async () => {
  await using directory = await startDirectory([person({ extId: 'C-1', phone: '0701234567' })])
  for (const typed of ['070-123 45 67', '+46 70 123 45 67', '701234567'])
    expect((await directory.app.customers(typed)).body).toMatchObject([{ customerExtId: 'C-1' }])
  expect((await directory.app.customers('070-123 45 68')).body).toEqual([])
})

/** The POS's question, answered by the real directory in a store of its own, with these customers in it. */
async function startDirectory(customers: CustomerRecord[], config: object = {}) {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await createFolder())
  const storage = opened.use(await openTestStore(`${folder.path}/tillbridge.db`))
  await storage.saveCustomers(customers, Date.now())
  const port = createDirectoryPort(storage)
  const app: LookupApp = opened.use(
    await startLookups({ customers: [{ name: DIRECTORY, search: port.search }], config: { customers: config } }),
  )
  const all = opened.move()
  return { app, port, storage, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
