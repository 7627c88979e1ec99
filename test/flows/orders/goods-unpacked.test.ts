import { describe, expect, test } from 'vitest'
import { createTestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { shippedOrderUpdate } from '../../fixtures/payloads.ts'
import { inFlight } from '../days/open-store.ts'
import { startWithOrders, type WithOrders } from './order-given.ts'

const UPDATED = 'OmniChannelOrderUpdated'
const FULFILLED = 'OmniChannelOrderFulfilled'
const SHIRT = '7090012340011'
const SOCKS = '7090012340059'
const MINUTE = 60_000

const parcel = (id: string, ...gtins: string[]) => ({ id, items: gtins.map((gtin) => ({ gtin })) })

/** Two shirts and a pair of socks, all picked, in these parcels. */
const shipped = (orderNo: string, ...shipments: object[]) =>
  shippedOrderUpdate({
    orderNo,
    id: `of-${orderNo}`,
    status: 'Shipped',
    orderLines: [
      { quantity: 2, gtin: SHIRT, rowId: '1', status: 'Picked' },
      { quantity: 1, gtin: SOCKS, rowId: '2', status: 'Picked' },
    ],
    fulfillmentLocation: { stockName: 'Oslo City', stockId: 12, shipments },
  })

/** What is not done, once nothing is under way. */
async function left({ hub }: WithOrders) {
  await eventually(async () => {
    expect(await inFlight(hub)).toBe(0)
    const waiting = await hub.hub.storage.deliveries({ state: 'waiting' })
    expect(waiting.filter(({ flow }) => flow !== 'goods-unpacked')).toEqual([])
  })
  const rows = await hub.hub.storage.deliveries({})
  return rows.flatMap(({ flow, state, code, why }) =>
    state === 'delivered' || state === 'superseded' ? [] : [{ flow, state, code, why }],
  )
}

describe('an order that is sent, and whose parcels do not add up', () => {
  test.each([UPDATED, FULFILLED])('%s: goods in no parcel are held by name after half an hour, once', async (kind) => {
    const clock = createTestClock()
    await using world = await startWithOrders({ clock })
    const { number } = await world.order()
    await world.hub.post(kind, shipped(number, parcel('p1', SHIRT)), { eventId: 'one' })
    await world.hub.post(kind, shipped(number, parcel('p1', SHIRT)), { eventId: 'again' })
    await eventually(async () => {
      expect(await left(world)).toMatchObject([{ flow: 'goods-unpacked', state: 'waiting' }])
    })
    clock.advance(31 * MINUTE)
    const held = await world.held()
    expect(held).toMatchObject({ flow: 'goods-unpacked', code: 'goods-unpacked' })
    expect(held.why).toContain(`none of its parcels (p1): 1 × ${SHIRT}, 1 × ${SOCKS}`)
  })

  for (const turn of ['as packed', 'turned round'] as const)
    test(`parcels that come one by one, ${turn}, add up: nothing is held`, async () => {
      const clock = createTestClock()
      await using world = await startWithOrders({ clock })
      const order = await world.order()
      const first = parcel('p1', SHIRT, SHIRT)
      const updates = [shipped(order.number, first), shipped(order.number, first, parcel('p2', SOCKS))]
      for (const body of turn === 'as packed' ? updates : updates.toReversed()) {
        await world.hub.post(UPDATED, body)
        await left(world)
      }
      clock.advance(31 * MINUTE)
      await world.done()
      expect(await left(world)).toEqual([])
      expect(world.now(order).status).toBe('completed')
    })

  test('goods that are declined are not missing', async () => {
    await using world = await startWithOrders()
    const { number } = await world.order()
    const update = shipped(number, parcel('p1', SHIRT, SHIRT))
    for (const line of update.order.orderLines) if (line.gtin === SOCKS) line.status = 'Declined'
    await world.hub.post(UPDATED, update)
    await world.done()
    expect(await left(world)).toEqual([])
  })
})

describe('a parcel that one update names twice', () => {
  test('other contents are a contradiction, held by name; released, the shop has one parcel of all of it', async () => {
    await using world = await startWithOrders()
    const order = await world.order()
    const update = shipped(order.number, parcel('p1', SHIRT, SHIRT), parcel('p1', SOCKS))
    await world.hub.post(UPDATED, update, { eventId: 'one' })
    await world.hub.post(UPDATED, update, { eventId: 'again' })
    const held = await world.held()
    expect(held).toMatchObject({ flow: 'create-shipment', code: 'contradiction' })
    expect(held.why).toContain(`the parcel p1 of order ${order.number} is named several times`)
    expect(world.now(order).notes.filter((note) => note.startsWith('Parcel'))).toEqual([])

    await world.hub.admin('deliveries/release', { filter: { id: held.id }, reason: 'one parcel, says the store' })
    await world.done()
    expect(world.now(order).status).toBe('completed')
    expect(world.now(order).notes.filter((note) => note.startsWith('Parcel p1'))).toHaveLength(1)
  })

  test('the same contents are said once', async () => {
    await using world = await startWithOrders()
    const order = await world.order()
    const whole = parcel('p1', SHIRT, SHIRT, SOCKS)
    await world.hub.post(UPDATED, shipped(order.number, whole, whole))
    await world.done()
    expect(world.now(order).status).toBe('completed')
    expect(await left(world)).toEqual([])
  })
})
