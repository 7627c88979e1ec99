import { describe, expect, test } from 'vitest'
import type { Late } from '../../src/admin/late.ts'
import type { OrderStory } from '../../src/admin/orders.ts'
import { asking } from '../cli/run.ts'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { endlessAisle, orderUpdate, refundUpdate } from '../fixtures/payloads.ts'
import { startWithOrders, type WithOrders } from '../flows/orders/order-given.ts'
import { deliveriesOf, startTestHub, type TestHub } from '../hub.ts'

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

describe('what customers wait for', () => {
  test('When nobody could be told, nothing captured, nothing refunded, then each is late after its time, with age and reason', async () => {
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
})
