import { describe, expect, test } from 'vitest'
import { type Shop, startShop } from '../../../sandbox/shop/shop.ts'
import { eventually } from '../../eventually.ts'
import { orderUpdate } from '../../fixtures/payloads.ts'
import { type Counter, openCounter, order } from '../../http/submissions/given.ts'
import { deliveriesOf } from '../../hub.ts'

/* A platform may write an empty list of parcels with every order: also with those that customers fetch. */

const KEY = { consumerKey: 'ck_of_the_tests', consumerSecret: 'cs_of_the_tests' }
const UPDATED = 'OmniChannelOrderUpdated'
const TEE = { gtin: '7040000010017', sku: 'TEE-BLK-M' }
const HOME = { firstName: 'Kari', address1: 'Torget 1', postalCode: '5014', city: 'Bergen', countryCode: 'NO' }

interface Story extends AsyncDisposable {
  counter: Counter
  shop: Shop
}

async function begin(): Promise<Story> {
  await using opened = new AsyncDisposableStack()
  const products = [{ name: 'T-shirt', sku: TEE.sku, globalUniqueId: TEE.gtin, price: '399.50' }]
  const shop = opened.use(await startShop({ ...KEY, products }))
  const counter = opened.use(
    await openCounter({ destinations: { shop: { adapter: 'woocommerce', url: shop.url, ...KEY } } }),
  )
  const open = opened.move()
  return { counter, shop, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** A paid order of the shop, which the store has. */
async function inStore({ counter, shop }: Story, more: object = {}): Promise<string> {
  const { number } = await shop.placeOrder({ lines: [{ sku: TEE.sku, quantity: 1 }] })
  const submitted = await counter.submit('orders', order(number, more))
  expect(submitted.status).toBe(202)
  await eventually(async () => expect(await stateOf(counter, 'submit-order')).toMatchObject({ state: 'delivered' }))
  return number
}

async function stateOf({ hub }: Counter, name: string) {
  return (await deliveriesOf(hub)).find(({ flow }) => flow === name)
}

function update(orderNo: string, status: string, list: { shipments?: [] } = { shipments: [] }) {
  const orderLines = [{ quantity: 1, gtin: TEE.gtin, rowId: '1', status: 'Picked' }]
  const fulfillmentLocation = { stockName: 'Oslo City', stockId: 12, posId: 3, personId: 55, ...list }
  return orderUpdate({ orderNo, id: `of-${orderNo}`, status, orderLines, fulfillmentLocation })
}

describe('An update without parcels', () => {
  test('When its order was submitted to be fetched, then the customer is told, and what is paid is captured', async () => {
    await using story = await begin()
    const { counter, shop } = story
    const number = await inStore(story)
    counter.platform.orders.pick(number)
    await counter.hub.post(UPDATED, update(number, 'Picked'))
    await eventually(async () => expect(await stateOf(counter, 'order-ready')).toMatchObject({ state: 'delivered' }))
    counter.platform.orders.collect(number)
    await counter.hub.post(UPDATED, update(number, 'Shipped'))
    await eventually(() => expect(shop.orders()).toMatchObject([{ status: 'completed' }]))
  })

  test.each([
    ['lists none', (number: string) => update(number, 'Picked')],
    ['tells of none', (number: string) => update(number, 'Picked', {})],
  ])('When its order was submitted to be sent, and it %s, then nobody is told to come', async (_, given) => {
    await using story = await begin()
    const number = await inStore(story, { shippingAddress: HOME })
    await story.counter.hub.post(UPDATED, given(number))
    await eventually(async () =>
      expect(await stateOf(story.counter, 'order-ready')).toMatchObject({ state: 'superseded', code: 'nothing-left' }),
    )
  })

  test('When nobody knows of its order, then a person decides: released, the customer is told', async () => {
    await using story = await begin()
    const { counter, shop } = story
    const { number } = await shop.placeOrder({ lines: [{ sku: TEE.sku, quantity: 1 }] })
    await counter.hub.post(UPDATED, update(number, 'Picked'))
    const held = await eventually(async () => {
      const one = await stateOf(counter, 'order-ready')
      expect(one).toMatchObject({ state: 'held', code: 'fetched-or-sent', why: expect.stringContaining(number) })
      return one
    })
    await counter.hub.admin('deliveries/release', { filter: { id: held?.id }, reason: 'the store says so' })
    await eventually(async () => expect(await stateOf(counter, 'order-ready')).toMatchObject({ state: 'delivered' }))
  })
})
