import { describe, expect, test } from 'vitest'
import type { SubmittedOrder } from '../../../src/domain/catalogue/submitted.ts'
import { attempt, onlineOrder, toSandbox, toServer } from './given.ts'

const order: SubmittedOrder = {
  ...onlineOrder,
  lines: [...onlineOrder.lines, { gtin: '7090000000028', price: '10.00', quantity: '1' }],
}
const cancellation = { orderNo: order.orderNo, storeId: order.storeId, stockId: order.stockId }
const less: SubmittedOrder = { ...order, lines: order.lines.slice(0, 1) }

/** The sandbox with the order in it, and what its staff can do. */
async function given(preset: 'spec' | 'frontsystems-v2' = 'spec') {
  const ways = await toSandbox({ preset })
  await ways.port.createOrder(order, attempt())
  const { orders: staff, strange, onlineOrders } = ways.sandbox
  return { ...ways, staff, strange, onlineOrders }
}

for (const preset of ['spec', 'frontsystems-v2'] as const)
  test(`When nobody has begun with an order at ${preset}, then it is changed as a whole, and cancelled, as often as it is asked`, async () => {
    await using there = await given(preset)
    const { port, platform } = there
    expect(await port.changeOrder(less, attempt())).toEqual({ note: 'changed' })
    expect(await port.changeOrder(less, attempt({ previous: 'open' }))).toEqual({ note: 'changed' })
    const changed = await platform.orders.read('W-1001')
    expect(changed).toMatchObject({ status: 'UnHandled', lines: [{ gtin: '7090000000011', price: '999' }] })
    expect(await port.cancelOrder(cancellation, attempt())).toEqual({ note: 'cancelled' })
    expect(await platform.orders.read('W-1001')).toBeNull()
    expect(await port.cancelOrder(cancellation, attempt({ previous: 'open' }))).toEqual({
      note: 'not there (any more)',
    })
    await expect(port.changeOrder(less, attempt())).rejects.toMatchObject({
      name: 'PermanentError',
      code: 'no-such-order',
    })
  })

describe('What comes when the store has begun', () => {
  test('When the order lies picked, or was fetched, then a person must look, and it stays as it is', async () => {
    await using there = await given()
    const { port, platform, staff } = there
    const asked = () => [port.changeOrder(less, attempt()), port.cancelOrder(cancellation, attempt())]
    for (const [act, status] of [
      [staff.pick, 'Picked'],
      [staff.collect, 'Shipped'],
    ] as const) {
      act('W-1001')
      const refused = await Promise.allSettled(asked())
      const why = {
        name: 'PermanentError',
        code: 'order-begun',
        message: expect.stringContaining(`W-1001 is ${status}: the store has begun`),
      }
      expect(refused.map((one) => one.status === 'rejected' && one.reason)).toMatchObject([why, why])
    }
    expect(await platform.orders.read('W-1001')).toMatchObject({ status: 'Shipped', lines: [{}, {}] })
  })

  test('When a line was declined, then a change would bring it back and is refused, and the rest can be cancelled', async () => {
    await using there = await given()
    const { port, staff } = there
    staff.decline('W-1001', '7090000000028')
    await expect(port.changeOrder(order, attempt())).rejects.toThrow('W-1001 is Declined in part')
    expect(await port.cancelOrder(cancellation, attempt())).toEqual({ note: 'cancelled' })
  })

  test('When the platform writes its statuses in another case, then they mean the same', async () => {
    await using there = await toServer()
    const { server, port } = there
    const record = (status: string, line: string) => ({
      body: { orderNo: 'W-1001', status, orderLines: [{ gtin: '7090000000011', status: line }] },
    })
    server.play([record('Unhandled', 'UNHANDLED'), { status: 200 }, record('rejected', 'rejected')])
    expect(await port.cancelOrder(cancellation, attempt())).toEqual({ note: 'cancelled' })
    expect(await port.cancelOrder(cancellation, attempt())).toEqual({ note: 'Rejected already' })
  })

  test('When the platform answers with another order than was asked for, then what became of that one is not held for ours', async () => {
    await using there = await toServer()
    const { server, port } = there
    const other = (status: string) => ({ body: { orderNo: 'W-2', status, orderLines: [] } })
    server.play([other('Rejected'), { status: 200 }, other('Picked'), { status: 200 }, other('UnHandled')])
    expect(await port.cancelOrder(cancellation, attempt())).toEqual({ note: 'cancelled' })
    expect(await port.cancelOrder(cancellation, attempt())).toEqual({ note: 'cancelled' })
    await expect(port.changeOrder(less, attempt())).rejects.toMatchObject({ code: 'order-unseen' })
    expect(server.asked.map(({ line }) => line.split(' ')[0])).toEqual(['GET', 'DELETE', 'GET', 'DELETE', 'GET'])
  })

  test('a cancellation that the platform answers with 0 is done where it has no such order, and refused where it has', async () => {
    await using there = await toServer()
    const { server, port } = there
    const record = { body: { orderNo: 'W-1001', status: 'UnHandled', orderLines: [] } }
    const none = { body: '0' }
    server.play([{ status: 404 }, none, record, none, { status: 404 }, none])
    const refused = { name: 'PermanentError', code: 'not-cancelled' }
    await expect(port.cancelOrder(cancellation, attempt())).rejects.toMatchObject(refused)
    await expect(port.cancelOrder(cancellation, attempt())).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('W-1001 is still at the store'),
    })
    // Reading an order has worked: that there is none is believed.
    expect(await port.cancelOrder(cancellation, attempt())).toEqual({ note: 'not there (any more)' })
  })

  test('When the platform refuses with 409 although nobody had begun, then a person must look; 404 is cancelled already', async () => {
    await using there = await toServer()
    const { server, port } = there
    const late = { name: 'PermanentError', code: 'order-begun', message: expect.stringContaining('call it') }
    const record = { body: { orderNo: 'W-1001', status: 'UnHandled', orderLines: [] } }
    server.play([record, { status: 409 }, record, { status: 409 }])
    await expect(port.changeOrder(order, attempt())).rejects.toMatchObject(late)
    await expect(port.cancelOrder(cancellation, attempt())).rejects.toMatchObject(late)
    server.play([record, { status: 404 }, record, { status: 503 }])
    expect(await port.cancelOrder(cancellation, attempt())).toEqual({ note: 'not there (any more)' })
    await expect(port.cancelOrder(cancellation, attempt())).rejects.toMatchObject({ name: 'RetryLaterError' })
    expect(server.asked.map(({ line }) => line.replace(/\/.*/, ''))).toEqual(
      ['GET', 'PUT', 'GET', 'DELETE', 'GET', 'DELETE', 'GET', 'DELETE'].map((method) => `${method} `),
    )
  })
})

describe('A platform that has no endpoint to read an order', () => {
  const begun = async (lacks: string[]) => {
    const there = await given()
    there.strange.lacks = lacks
    return there
  }

  test('When an order is cancelled, then that is sent, and the platform says that it is done', async () => {
    await using there = await begun(['GET /api/OmniChannel'])
    expect(await there.port.cancelOrder(cancellation, attempt())).toEqual({ note: 'cancelled' })
    expect(there.onlineOrders()).toEqual([])
    // It has worked: its 404 is believed from now on.
    expect(await there.port.cancelOrder(cancellation, attempt())).toEqual({ note: 'not there (any more)' })
  })

  test('When it cannot cancel either, then its 404 proves nothing, and a person is told to call the store', async () => {
    await using there = await begun(['GET /api/OmniChannel', 'DELETE /api/OmniChannel'])
    await expect(there.port.cancelOrder(cancellation, attempt())).rejects.toMatchObject({
      name: 'PermanentError',
      code: 'not-cancelled',
      message: expect.stringMatching(/W-1001 may still be at the store.*Call the store.*orders\.delete/),
    })
    expect(there.onlineOrders()).toHaveLength(1)
  })

  test('When an order is changed, then whether the store has begun cannot be seen, and nothing is sent', async () => {
    await using there = await begun(['GET /api/OmniChannel'])
    await expect(there.port.changeOrder(less, attempt())).rejects.toMatchObject({
      name: 'PermanentError',
      code: 'order-unseen',
      message: expect.stringContaining('has never told of any order'),
    })
    there.strange.lacks = []
    expect(await there.platform.orders.read('W-1001')).toMatchObject({ lines: [{}, {}] })
  })
})
