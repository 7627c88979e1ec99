import { describe, expect, test } from 'vitest'
import { attempt } from '../contract.ts'
import { returned, startWithOrder, updateOf } from './given.ts'
import { askShop, orderOf, startWithShop } from './shop.ts'

const KEY = 'SaleCreated:1:f:p'

describe('what is there twice under one key', () => {
  test('two orders are told with both ids, until one is cancelled', async () => {
    await using it = await startWithShop()
    const order = orderOf()
    for (let time = 0; time < 2; time += 1) await it.create(order)
    const [first, second] = it.shop.orders().map(({ id }) => String(id))
    const call = { port: 'orders', method: 'create', argument: order } as const
    const of = { kind: 'order', id: 'till:EA-77' }
    expect(await it.orders.findAll(attempt(), call)).toEqual([
      { theirId: first, of },
      { theirId: second, of },
    ])
    await askShop(it.shop, 'PUT', `/orders/${second}`, { status: 'cancelled' })
    expect(await it.orders.findAll(attempt(), call)).toEqual([{ theirId: first, of }])
    expect(await it.orders.findAll(attempt({ key: 'another' }), call)).toEqual([])
  })

  test('two refunds are told with both ids', async () => {
    await using it = await startWithOrder()
    const { id } = it.order()
    for (let time = 0; time < 2; time += 1) await refund(it.shop, id, KEY)
    const call = { port: 'orders', method: 'refund', argument: returned(it.number) } as const
    expect((await it.orders.findAll(attempt(), call))?.map(({ theirId }) => theirId)).toEqual(
      it.order().refunds.map((one) => String(one.id)),
    )
  })
})

test('an order that expired and was paid back is not finished while its note may still come: the customer would have it twice', async () => {
  await using it = await startWithOrder()
  await refund(it.shop, it.order().id, KEY)
  const call = { port: 'orders', method: 'expire', argument: updateOf(it.number) } as const
  const inDoubt = attempt({ previous: 'open', firstTriedAt: Date.now() - 1_000, mayStillLand: true })
  await expect(it.orders.find(inDoubt, call)).rejects.toMatchObject({ code: 'may-still-land' })
  expect([it.order().told.length, it.order().status]).toEqual([0, 'processing'])
  await it.orders.find({ ...inDoubt, mayStillLand: false }, call)
  expect(it.order().status).toBe('cancelled')
})

/** A refund of the whole order, as the shop made it of an earlier call. */
async function refund(shop: Parameters<typeof askShop>[0], order: number, key: string): Promise<void> {
  const body = {
    amount: '100.00',
    reason: 'Back',
    api_refund: true,
    meta_data: [{ key: '_tillbridge_key', value: key }],
  }
  await askShop(shop, 'POST', `/orders/${order}/refunds`, body)
}
