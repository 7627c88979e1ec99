import { beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { deliveriesOf, keptIn } from '../../hub.ts'
import { order, sale, shareCounter } from './given.ts'

const counter = shareCounter()
/** Another own system than the one that submits the orders here. */
let other = ''

beforeAll(async () => {
  other = (await counter().keyOf('oms', 'orders,sales')).key
})

/** Submits an order as `erp`, and waits until the platform has it. */
async function submitted(orderNo: string): Promise<object> {
  expect((await counter().submit('orders', order(orderNo))).status).toBe(202)
  return await eventually(async () => {
    const there = await counter().onPlatform(orderNo)
    expect(there).not.toBeNull()
    return there as object
  })
}

/** Everything that was taken about an order, by kind. */
function takenAbout(orderNo: string): string[] {
  return keptIn(counter().hub).flatMap(({ kind, identity }) => (identity === orderNo ? [kind] : []))
}

describe('an order that another system submitted', () => {
  for (const method of ['PUT', 'DELETE'] as const)
    test(`When a key that may submit orders sends ${method}, then the order stays as it is`, async () => {
      const orderNo = `O-${method}`
      const before = await submitted(orderNo)
      const change = order(orderNo, { orderLines: [{ gtin: '7040000010024', price: 1, quantity: 1 }] })
      const answer = await counter().submit(`orders/${orderNo}`, method === 'PUT' ? change : '', { method, as: other })
      expect(answer).toMatchObject({ status: 403, body: { code: 'order-of-another' } })
      expect(takenAbout(orderNo)).toEqual(['OrderSubmitted'])
      expect(await counter().onPlatform(orderNo)).toEqual(before)
    })

  test('When it is refused, then the answer says what to do, and nothing of the order', async () => {
    await submitted('O-2')

    // For another store than the one that has it: neither that one nor this is told of.
    const put = await counter().submit('orders/O-2', order('O-2', { storeNo: '101' }), { method: 'PUT', as: other })
    const off = await counter().submit('orders/O-2', '', { method: 'DELETE', as: other })
    expect(put.body).toEqual(off.body)
    expect(put.body.detail).toContain('keys create oms --may sales,orders,orders:any')
    expect(put.text).not.toMatch(/erp|102|kari|7040000010017/i)
  })

  test('When it was cancelled, then a stranger is not told so', async () => {
    await submitted('O-3')
    expect((await counter().submit('orders/O-3', '', { method: 'DELETE' })).status).toBe(202)
    const answer = await counter().submit('orders/O-3', order('O-3'), { method: 'PUT', as: other })
    expect(answer).toMatchObject({ status: 403, body: { code: 'order-of-another' } })
  })

  test('When a key may change the orders of every system, then it changes and cancels it', async () => {
    await submitted('O-4')
    const { key } = await counter().keyOf('desk', 'orders,orders:any')
    const two = order('O-4', { orderLines: [{ gtin: '7040000010017', price: '399.50', quantity: '2' }] })
    expect((await counter().submit('orders/O-4', two, { method: 'PUT', as: key })).status).toBe(202)
    expect((await counter().submit('orders/O-4', '', { method: 'DELETE', as: key })).status).toBe(202)
    await eventually(async () => expect(await counter().onPlatform('O-4')).toBeNull())
    expect(takenAbout('O-4')).toEqual(['OrderSubmitted', 'OrderChangeSubmitted', 'OrderCancelSubmitted'])
  })

  test('When another key of its own system asks, then that is its order', async () => {
    await submitted('O-5')
    const { key } = await counter().keyOf('erp', 'orders')
    expect((await counter().submit('orders/O-5', '', { method: 'DELETE', as: key })).status).toBe(202)
  })
})

describe('the number of an order that another system submitted', () => {
  test('When an order is submitted under it, then the first stays, and is nobody else’s', async () => {
    const before = await submitted('N-1')
    const mine = order('N-1', { theirId: '9', customer: { email: 'ola@example.com' } })
    const differing = await counter().submit('orders', mine, { as: other })
    const same = await counter().submit('orders', order('N-1', { theirId: '9' }), { as: other })
    expect(differing).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(same).toMatchObject({ status: 200, body: { status: 'duplicate' } })
    expect(await counter().onPlatform('N-1')).toEqual(before)
    expect(await counter().hub.hub.storage.links('oms', 'order', ['N-1'])).toEqual([])
    expect((await counter().submit('orders/N-1', '', { method: 'DELETE', as: other })).status).toBe(403)
    expect((await counter().submit('orders/N-1', '', { method: 'DELETE' })).status).toBe(202)
  })

  test('When a sale is submitted under it, then that is a sale of its own, and the order stays', async () => {
    const before = await submitted('N-2')
    const sold = [{ identity: '7090012340011', price: '399.50', qty: 2 }]
    expect((await counter().submit('sales', sale('N-2', { salesLines: sold }), { as: other })).status).toBe(202)
    await eventually(async () => {
      const sales = (await deliveriesOf(counter().hub)).filter(({ flow }) => flow === 'import-sale')
      expect(sales.map(({ state }) => state)).toEqual(['delivered'])
    })
    expect(await counter().onPlatform('N-2')).toEqual(before)
    expect((await counter().submit('orders/N-2', '', { method: 'DELETE', as: other })).status).toBe(403)
  })
})
