import { describe, expect, test } from 'vitest'
import type { FoundThings } from '../../src/admin/find.ts'
import type { Late } from '../../src/admin/late.ts'
import type { OrderStory } from '../../src/admin/orders.ts'
import { UNKNOWN_CUSTOMER } from '../../src/domain/customers/customer-record.ts'
import { asking } from '../cli/run.ts'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { customer, endlessAisle, orderUpdate, receipt, refundUpdate, sale } from '../fixtures/payloads.ts'
import { startWithOrders, type WithOrders } from '../flows/orders/order-given.ts'
import { busTo, deliveriesOf, startTestHub, type TestHub } from '../hub.ts'

const UPDATED = 'OmniChannelOrderUpdated'
const RETURNED = 'OmniChannelOrderRefundUpdated'
const MINUTE = 60_000

async function storyOf({ hub }: { hub: TestHub }, number: string): Promise<OrderStory> {
  return (await hub.admin<OrderStory>(`orders/${encodeURIComponent(number)}`)).body
}

async function lateOf({ hub }: { hub: TestHub }): Promise<Late[]> {
  return (await hub.admin<{ late: Late[] }>('late')).body.late
}

/** The first try of each has failed: the shop refuses. */
async function refused(world: WithOrders, count: number): Promise<void> {
  await eventually(async () => {
    const rows = await deliveriesOf(world.hub)
    expect(rows).toHaveLength(count)
    expect(rows.every(({ why }) => why !== null)).toBe(true)
  })
}

describe('one order, one timeline', () => {
  test('When an order was picked, collected and brought back, then everything about it stands in the order of time', async () => {
    await using world = await startWithOrders()
    const { number } = await world.order()
    const lines = [{ quantity: 2, gtin: '7090012340011', rowId: '1', status: 'Picked' }]
    for (const status of ['Picked', 'Shipped']) {
      await world.hub.post(UPDATED, orderUpdate({ orderNo: number, status, orderLines: lines }))
      await world.done()
    }
    await world.hub.post(RETURNED, refundUpdate({ orderNo: number }))
    await world.hub.post(UPDATED, orderUpdate({ orderNo: `${number}0`, id: 'another', status: 'UnHandled' }))
    await world.done()

    expect((await storyOf(world, ` ${number}\t`)).number).toBe(number)
    const { timeline, open, late } = await storyOf(world, number)
    expect(timeline.map(({ type, what }) => `${type}: ${what}`)).toEqual([
      expect.stringMatching(/^event: OmniChannelOrderUpdated: Picked, 2 × 7090012340011 Picked, at Oslo City$/),
      expect.stringMatching(/^attempt: order-ready to shop: delivered, /),
      expect.stringMatching(/^event: OmniChannelOrderUpdated \(2\): Shipped/),
      expect.stringMatching(/^attempt: order-collected to shop: delivered, /),
      expect.stringMatching(/^event: OmniChannelOrderRefundUpdated: Returned, 1 × .*the shop must give the money back/),
      expect.stringMatching(/^attempt: refund-goods\/7090012340011 to shop: delivered, /),
    ])
    expect(timeline.map(({ at }) => at)).toEqual(timeline.map(({ at }) => at).toSorted((a, b) => a - b))
    expect({ open, late }).toEqual({ open: [], late: [] })

    const { out, code } = await asking(world.hub)('order', number)
    expect(code).toBe(0)
    expect(out).toContain(`Order ${number}`)
    expect(out).toContain('order-collected to shop: delivered')
  })

  test('When the sums of a POS contradict each other, then the timeline of its order says so', async () => {
    await using hub = await startTestHub()
    await hub.post('OmniChannelEndlessAisleOrderCreated', endlessAisle({ total: 150 }))
    const { timeline } = await storyOf({ hub }, 'EA-77')
    expect(timeline[0]?.what).toContain('lines of 349.00 NOK, a total of 150.00 NOK, payments of 349.00 NOK')
  })
})

test('what customers wait for: When nobody could be told, nothing captured, nothing refunded, then each is late after its time, with age and reason', async () => {
  const clock = createTestClock()
  await using world = await startWithOrders({ clock })
  const orderLines = [{ quantity: 1, gtin: '7090012340011', rowId: '1', status: 'Declined' }]
  await world.hub.post(UPDATED, orderUpdate({ orderNo: 'A1', id: 'a1', status: 'Picked' }))
  await world.hub.post(UPDATED, orderUpdate({ orderNo: 'A4', id: 'a4', status: 'UnHandled', orderLines }))
  await world.hub.post(UPDATED, orderUpdate({ orderNo: 'A2', id: 'a2', status: 'Shipped' }))
  await world.hub.post(RETURNED, refundUpdate({ orderNo: 'A3' }))
  // The shop has none of these orders.
  await refused(world, 4)
  expect(await lateOf(world)).toEqual([])
  clock.advance(6 * MINUTE)
  expect(await lateOf(world)).toMatchObject([
    { clock: 'reported', entity: 'order:A1', why: expect.stringContaining('A1') },
  ])
  clock.advance(30 * MINUTE)
  const late = await lateOf(world)
  expect(late.map(({ clock: which, entity }) => `${which} ${entity}`).sort()).toEqual([
    'captured order:A2',
    'declined order:A4',
    'refunded order:A3',
    'reported order:A1',
  ])
  expect((await storyOf(world, 'A2')).late).toHaveLength(1)
  const { out } = await asking(world.hub)('late')
  expect(out).toMatch(/^captured +\S+ \S+ +order:A2 /m)
})

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
