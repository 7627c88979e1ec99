import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { KEY } from '../../../packages/tillbridge-adapter-woocommerce/test/kit.ts'
import { type Shop, startShop } from '../../../sandbox/shop/shop.ts'
import { eventually } from '../../eventually.ts'
import { endlessAisle, saleLine, store } from '../../fixtures/payloads.ts'
import { deliveriesOf, keptIn } from '../../hub.ts'
import { type Counter, openCounter, product, sale, shareCounter } from './given.ts'

/* A shop that numbers its orders its own way submits an order of a POS as if it were one of its own. */

for (const [name, order, number] of [
  ['with a number of its own', { orderNo: 'EA-77' }, 'EA-77'],
  ['without one', { orderNo: null }, '1002'],
] as const)
  test(`When the hub created an order of a POS ${name} in a shop, then its sale is refused under whatever the shop calls it`, async () => {
    await using the = await openPos(order)
    const [created] = the.shop.orders()
    const id = String(created?.id)
    const answers = [
      await the.submit('sales', sale(id)),
      await the.submit('sales', sale('NO-5001', { theirId: id })),
      await the.submit('sales', sale(id), { as: the.shopKey }),
      await the.submit('sales', sale(id, { endlessAisle: false }), { as: the.shopKey }),
      await the.submit('sales?dryRun=true', sale(id), { key: null }),
      await the.lines('sales', [sale('NO-1'), sale(id)]),
    ]
    const why = `the hub created it at shop for ${number}`
    expect(answers.map(({ text }) => text.includes(why))).toEqual(answers.map(() => true))
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422, 200, 202])
    expect(answers[5]?.body).toMatchObject({ accepted: 1, refused: 1, faults: [{ line: 2 }] })
    expect(sold(the)).toEqual(['NO-1'])
  })

test('When another order has the same number elsewhere, then its sender says so, and it is taken', async () => {
  await using the = await openPos({ orderNo: 'EA-77' })
  const id = String(the.shop.orders()[0]?.id)
  const refused = await the.submit('sales', sale(id))
  expect(refused.body.faults[0]?.faults[0]).toMatch(/or say endlessAisle: false where it is another order$/)
  expect(await the.submit('sales', sale(id, { endlessAisle: false }))).toMatchObject({ status: 202 })
  // The number of a receipt is no number of an order.
  expect(await the.submit('sales', sale('1002'))).toMatchObject({ status: 202 })
  expect(sold(the)).toEqual([id, '1002'])
})

test('When the event of an order of a POS is committed after later ones were read, then its sale is refused all the same', async () => {
  await using the = await openCounter()
  const { body } = await the.hub.post('OmniChannelEndlessAisleOrderCreated', endlessAisle({ orderNo: 'EA-88' }))
  await using opened = new AsyncDisposableStack()
  const file = opened.adopt(new Database(the.hub.file), (one) => void one.close())
  const see = (entity: string) => file.prepare('update events set entity = ? where id = ?').run(entity, body.id)
  // Not committed yet, for who reads. Of several hubs, ids are drawn before commits, which come in another order.
  see('order:of-nobody')
  await the.submit('sales', sale('NO-1'))
  see('order:EA-88')
  const answers = [
    await the.submit('sales', sale('EA-88')),
    await the.submit('sales', sale('EA-88', { endlessAisle: false })),
    await the.lines('sales', [sale('NO-2'), sale('EA-88')]),
  ]
  const why = 'the hub has its OmniChannelEndlessAisleOrderCreated'
  expect(answers.map(({ text }) => text.includes(why))).toEqual(answers.map(() => true))
  expect(sold(the)).toEqual(['NO-1', 'NO-2'])
})

/** A hub that has created an order of a POS in the shop. */
async function openPos(order: object): Promise<Counter & { shop: Shop; shopKey: string }> {
  await using opened = new AsyncDisposableStack()
  const products = [{ name: 'T-shirt', sku: 'TEE-BLK-M', price: '349' }]
  const shop = opened.use(await startShop({ ...KEY, products }))
  const counter = opened.use(
    await openCounter({
      destinations: { shop: { adapter: 'woocommerce', url: shop.url, ...KEY } },
      config: { platform: { trustWebhooks: true } },
    }),
  )
  const lines = { orderLines: [saleLine({ shipFromOnlineStore: true })], store: store() }
  await counter.hub.post('OmniChannelEndlessAisleOrderCreated', endlessAisle({ ...lines, ...order }))
  await eventually(async () => {
    const ids = shop.orders().map(({ id }) => String(id))
    expect(await counter.hub.hub.storage.linksTo(['shop'], 'order', ids)).toHaveLength(1)
  })
  const { key: shopKey } = await counter.keyOf('shop')
  const open = opened.move()
  return { ...counter, shop, shopKey, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** The numbers of the orders that were taken as sales. */
function sold({ hub }: Counter): string[] {
  return keptIn(hub)
    .filter(({ kind }) => kind === 'SaleSubmitted')
    .map(({ body }) => JSON.parse(body.toString()).orderNo)
}

const counter = shareCounter()

test('when a sum in binary left 0.00000000000000005551 where nothing should be, then what was taken is sent as it was', async () => {
  const { status } = await counter().submit('products', [product('S-1', { price: 0.1 + 0.2 - 0.3, cost: 1e-40 })])
  expect(status).toBe(202)
  await eventually(async () => {
    const all = await deliveriesOf(counter().hub)
    expect(all.map(({ state, why }) => ({ state, why }))).toEqual([{ state: 'delivered', why: null }])
  })
})
