import { expect, test } from 'vitest'
import { startShop } from '../../../sandbox/shop/shop.ts'
import { eventually } from '../../eventually.ts'
import { orderUpdate, stockMovement } from '../../fixtures/payloads.ts'
import { startTestHub } from '../../hub.ts'
import { GTIN, place } from './given.ts'
import { KEY } from './shop.ts'

/** A shop that sells from the stock of a store, and is told its levels; three shirts were ordered there. */
async function open(written: object = {}, order: object = {}) {
  await using opened = new AsyncDisposableStack()
  const products = [{ id: 11, name: 'T-shirt', sku: 'TEE', globalUniqueId: GTIN, price: '100', stock: 20 }]
  const shop = opened.use(await startShop({ ...KEY, products }))
  const hub = opened.use(
    await startTestHub({
      destinations: {
        shop: { adapter: 'woocommerce', url: shop.url, ...KEY, channels: { web: { stocks: ['12'] } }, ...written },
      },
      config: { mirror: 'stock' },
    }),
  )
  let movementId = 1_000
  const stock = () => shop.products().find(({ id }) => id === 11)?.stock
  const number = await place(shop, order)
  const it = {
    shop,
    hub,
    number,
    stock,
    /** The platform says how many there are, and the shop hears of it. */
    async level(level: number) {
      movementId += 1
      await hub.post('StockMovementCreated', stockMovement({ movementId, gtin: GTIN, sku: 'TEE', stockLevel: level }))
      await eventually(() => expect(stock()).toBe(level))
    },
    status: () => shop.orders().find((one) => one.number === number)?.status,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
  const all = opened.move()
  return it
}

const line = { gtin: GTIN, rowId: '1' }

test('When an order expires of which the platform has let the goods go before, then the shop has them once', async () => {
  await using it = await open()
  await it.level(17)
  await it.level(20)
  const orderLines = [{ ...line, quantity: 3, status: 'Picked' }]
  await it.hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: it.number, status: 'Expired', orderLines }))
  await eventually(() => expect(it.status()).toBe('cancelled'))
  await eventually(() => expect(it.stock()).toBe(20))
})

test('When a store declines goods that are not paid yet, and its count is right already, then the shop has no more of them', async () => {
  await using it = await open({}, { payment_method: 'cod', set_paid: false, status: 'processing' })
  await it.level(0)
  const orderLines = [{ ...line, quantity: 3, status: 'Declined' }]
  await it.hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: it.number, status: 'Rejected', orderLines }))
  await eventually(() => expect(it.status()).toBe('cancelled'))
  await eventually(() => expect(it.stock()).toBe(0))
})

test('When refunded goods go back into the stock of the shop too, then the level of the store is what counts', async () => {
  await using it = await open({ restock: true })
  await it.level(5)
  const orderLines = [{ ...line, quantity: 2, status: 'Declined' }]
  await it.hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: it.number, orderLines }))
  await eventually(() => expect(it.shop.orders()[0]?.refunds).toHaveLength(1))
  await eventually(() => expect(it.stock()).toBe(5))
})
