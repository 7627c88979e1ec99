import { expect, test } from 'vitest'
import type { FoundThings } from '../../src/admin/find.ts'
import { UNKNOWN_CUSTOMER } from '../../src/domain/customers/customer-record.ts'
import { asking } from '../cli/run.ts'
import { customer, orderUpdate, receipt, sale } from '../fixtures/payloads.ts'
import { busTo, startTestHub } from '../hub.ts'

test('When somebody has a receipt, an order, an address or a phone in flight, then find leads to what is kept of it', async () => {
  const lookups = { customers: { tokens: ['crm-token-of-the-tests'], countries: ['NO'] } }
  await using hub = await startTestHub({ destinations: { bus: busTo('http://127.0.0.1:1/') }, config: { lookups } })
  await hub.post('SaleCreated', sale(), { eventId: 'EV-77' })
  await hub.post('OmniChannelSendReceiptCreated', receipt())
  await hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: 'EA-77' }))
  await hub.post('CustomerCreated', customer())
  const find = async (q: string) => (await hub.admin<FoundThings>(`find?q=${encodeURIComponent(q)}`)).body
  const kinds = async (q: string) => (await find(q)).events.map(({ kind }) => kind).sort()

  expect(await kinds('3/1001')).toEqual(['OmniChannelSendReceiptCreated', 'SaleCreated'])
  expect(await kinds('KARI.nordmann@example.com')).toEqual(['CustomerCreated', 'OmniChannelSendReceiptCreated'])
  expect(await kinds('ev-77')).toEqual(['SaleCreated'])
  expect(await kinds('tee-blk-m')).toEqual(['OmniChannelSendReceiptCreated', 'SaleCreated'])
  expect(await find('#ea-77')).toMatchObject({ orders: ['EA-77'], reach: { behind: 0 } })
  expect((await find('3/1001')).deliveries.map(({ destination }) => destination)).toContain('bus')
  expect(await find('nobody@example.com')).toMatchObject({ events: [], customers: [], orders: [], products: [] })

  const byPhone = await find('900 12 345')
  expect(byPhone.events.map(({ kind }) => kind)).toEqual(['CustomerCreated'])
  expect(byPhone.customers).toMatchObject([
    { customerId: '4711', name: 'K. N.', email: 'k…@example.com', phone: '…345' },
  ])

  const guest = { ...UNKNOWN_CUSTOMER, extId: 'shop:ola@example.com', email: 'ola@example.com' }
  await hub.hub.storage.saveCustomers([guest], Date.now())
  expect((await find('ola@example.com')).customers).toMatchObject([{ extId: 's…@example.com' }])

  const run = asking(hub)
  expect((await run('find', '+47', '900', '12', '345')).out).toMatch(/4711 +K\. N\. +k…@example\.com +…345/)
  expect((await run('find', 'ea-77')).out).toMatch(/^Orders: EA-77/)
  expect((await run('find', 'nothing-like-it')).out).toMatch(/^Nothing is found of nothing-like-it\./)
  expect((await run('find', '90012345', '--reveal')).out).toMatch(/Kari Nordmann/)
  expect((await run('audit', 'list', '--action', 'reveal')).out).toMatch(/\{"find":"…345"\}/)
})
