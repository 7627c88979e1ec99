import { expect, test } from 'vitest'
import { attempt } from '../contract.ts'
import { startWithOrder, updateOf } from './given.ts'
import { askShop, orderOf, startWithShop } from './shop.ts'

const KEY = 'SaleCreated:1:f:p'

test('When an order was called for twice, then both that bear its key are counted, until one is cancelled', async () => {
  await using it = await startWithShop()
  const order = orderOf()
  for (let time = 0; time < 2; time += 1) await it.create(order)
  const [first, second] = it.shop.orders().map(({ id }) => String(id))
  const links = [{ destination: 'shop', kind: 'order', id: 'pos:EA-77', theirId: String(first) }]
  const reconciled = (more: object) =>
    it.orders.reconcile([{ keys: [KEY], order, givenAt: 0, links, ...more }], { signal: new AbortController().signal })
  const calledAgainSince = Date.now() - 60_000
  expect(await reconciled({})).toMatchObject([{ is: 'there', count: 1 }])
  expect(await reconciled({ calledAgainSince })).toMatchObject([{ is: 'there', count: 2 }])
  expect(await reconciled({ calledAgainSince, keys: ['another'] })).toMatchObject([{ is: 'unknown' }])
  await askShop(it.shop, 'PUT', `/orders/${second}`, { status: 'cancelled' })
  expect(await reconciled({ calledAgainSince })).toMatchObject([{ is: 'there', count: 1 }])
})

test('an order that expired and was paid back is not finished while its note may still come: the customer would have it twice', async () => {
  await using it = await startWithOrder()
  await refund(it.shop, it.order().id, KEY)
  const call = { port: 'orders', method: 'expire', argument: updateOf(it.number) } as const
  const inDoubt = attempt({ previous: 'open', firstTriedAt: Date.now() - 1_000, mayStillLand: true })
  await expect(it.orders.find(inDoubt, call)).rejects.toMatchObject({ code: 'may-still-land' })
  expect([it.order().reported.length, it.order().status]).toEqual([0, 'processing'])
  await it.orders.find({ ...inDoubt, mayStillLand: false }, call)
  expect(it.order().status).toBe('cancelled')
})

test.each(['expire', 'refund'] as const)('two refunds that bear the key of one %s are counted', async (method) => {
  await using it = await startWithOrder()
  const order = updateOf(it.number)
  const argument = method === 'expire' ? order : { refund: order, line: order.lines[0], quantity: '1' }
  const call = { port: 'orders', method, argument } as never
  const inDoubt = attempt({ previous: 'open', firstTriedAt: Date.now() - 1_000 })
  expect(await it.orders.countRefunds(call, inDoubt)).toBe(0)
  for (const _ of [1, 2]) await refund(it.shop, it.order().id, KEY, '10.00')
  await refund(it.shop, it.order().id, 'another', '10.00')
  expect(await it.orders.countRefunds(call, inDoubt)).toBe(2)
})

/** A refund of the whole order, as the shop made it of an earlier call. */
async function refund(
  shop: Parameters<typeof askShop>[0],
  order: number,
  key: string,
  amount = '100.00',
): Promise<void> {
  const body = {
    amount,
    reason: 'Back',
    api_refund: true,
    meta_data: [{ key: '_tillbridge_key', value: key }],
  }
  await askShop(shop, 'POST', `/orders/${order}/refunds`, body)
}
