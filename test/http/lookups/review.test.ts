import { expect, test } from 'vitest'
import type { CustomerRecord } from '../../../src/domain/customers/customer-record.ts'
import type { FoundOrder } from '../../../src/domain/orders/order.ts'
import { eventually } from '../../eventually.ts'
import { finding, order, person, startLookups } from './app.ts'

const kari = person({ customerId: '7', email: 'kari@example.com', firstName: 'Kari', phone: '+4791234567' })

test.each([
  ['a row that is null', null],
  ['a phone that is a number', { extId: 'C-1', phone: 91234567 }],
  ['an address that is an object', { extId: 'C-1', email: { address: 'kari@example.com' } }],
])('when a source answers %s, then it is the one that is missing, and the POS has the others', async (_, row) => {
  await using app = await startLookups({
    customers: [finding('crm', row as unknown as CustomerRecord), finding('directory', kari)],
  })
  expect(await app.customers('91234567')).toMatchObject({
    status: 200,
    headers: { 'tillbridge-sources': 'directory', 'tillbridge-missing': 'crm' },
    body: [{ customerId: 7 }],
  })
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

test('when two systems know different people by one phone, then nobody gets the e-mail address of the other', async () => {
  await using app = await startLookups({
    customers: [
      finding('directory', person({ customerId: '1', email: 'kari@example.com', phone: '+4791234567' })),
      finding('crm', person({ extId: 'C-2', email: 'per@example.com', city: 'Bergen', phone: '+4791234567' })),
      finding('shop', person({ firstName: 'Ola', phone: '+4745678901' })),
      finding('web', person({ firstName: 'Eva', email: 'eva@example.com', phone: '+4745678901' })),
      finding('app', person({ firstName: 'Eva Marie', city: 'Oslo', phone: '+4745678901' })),
    ],
  })
  const { body } = await app.customers('91234567')
  expect(body).toMatchObject([
    { email: 'kari@example.com', customerExtId: null, city: null },
    { email: 'per@example.com', city: 'Bergen' },
    { firstName: 'Ola', email: null, city: null },
    { firstName: 'Eva', email: 'eva@example.com' },
    { firstName: 'Eva Marie' },
  ])
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
