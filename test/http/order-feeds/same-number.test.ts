import { expect, test } from 'vitest'
import { type Shop, startShop } from '../../../sandbox/shop/shop.ts'
import { KEY } from '../../adapters/woocommerce/kit.ts'
import { eventually } from '../../eventually.ts'
import { endlessAisle, saleLine } from '../../fixtures/payloads.ts'
import { keptIn } from '../../hub.ts'
import { type Counter, openCounter, sale } from '../submissions/given.ts'

/* A POS's order 1008, which the hub creates in a shop under a number of the shop's own, and the web order that the shop calls 1008. */

const NUMBER = '1008'
const SECRET = 'secret-of-the-webhooks'
const ARTICLE = { sku: 'TEE-BLK-M', globalUniqueId: '7090012340011' }

type Pos = Counter & { shop: Shop; createdId: string }

async function openPos(): Promise<Pos> {
  await using opened = new AsyncDisposableStack()
  let next: string | null = null
  const numbering = (id: number) => {
    const number = next ?? `S-${id}`
    next = NUMBER
    return number
  }
  const products = [{ name: 'T-shirt', price: '349', ...ARTICLE }]
  const shop = opened.use(await startShop({ ...KEY, products, numbering }))
  const adapter = { adapter: 'woocommerce', url: shop.url, ...KEY, webhookSecret: SECRET, intake: { country: 'NO' } }
  const counter = opened.use(
    await openCounter({ destinations: { shop: adapter }, config: { platform: { trustWebhooks: true } } }),
  )
  shop.sendWebhooksTo({ url: `${counter.hub.url}/intake/shop`, secret: SECRET })
  const orderLines = [saleLine({ externalSKU: ARTICLE.sku, shipFromOnlineStore: true })]
  await counter.hub.post('OmniChannelEndlessAisleOrderCreated', endlessAisle({ orderNo: NUMBER, orderLines }))
  const created = await eventually(async () => {
    const [link] = await counter.hub.hub.storage.links('shop', 'order', [`pos:${NUMBER}`])
    return link ?? false
  })
  const open = opened.move()
  return { ...counter, shop, createdId: created.theirId, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** The sales that were taken: their orders, and what the platform is told of their customers. */
function sold({ hub }: Counter) {
  return keptIn(hub)
    .filter(({ kind }) => kind === 'SaleSubmitted')
    .map(({ body }) => JSON.parse(body.toString()).orderNo)
}

test('When a shop completes its own order 1008, then it is a sale, though a POS has an order 1008, whose sale is the platform’s', async () => {
  await using the = await openPos()
  await the.shop.setStatus(Number(the.createdId), 'completed')
  const web = await the.shop.placeOrder({ lines: [{ sku: ARTICLE.sku }] })
  expect(web.number).toBe(NUMBER)
  await the.shop.setStatus(web.id, 'completed')
  await eventually(() => the.shop.webhooksSettled())
  expect(sold(the)).toEqual([NUMBER])
})

test('When the shop or its ERP submits the sale of the web order 1008, then it is taken where its id, or its sender, says which it is', async () => {
  await using the = await openPos()
  const { key: shopKey } = await the.keyOf('shop')
  const refused = [
    await the.submit('sales', sale(NUMBER)),
    await the.submit('sales', sale(NUMBER), { as: shopKey }),
    await the.submit('sales', sale(NUMBER, { theirId: the.createdId }), { as: shopKey }),
    await the.submit('sales', sale(NUMBER, { theirId: the.createdId, endlessAisle: false })),
  ]
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422])
  expect(await the.submit('sales', sale(NUMBER, { theirId: '77', part: 'a' }), { as: shopKey })).toMatchObject({
    status: 202,
  })
  expect(await the.submit('sales', sale(NUMBER, { endlessAisle: false, part: 'b' }))).toMatchObject({ status: 202 })
  expect(sold(the)).toEqual([NUMBER, NUMBER])
})
