import { afterAll, beforeAll, expect, test } from 'vitest'
import { optionsFor, type ShownOrder, STORE_LOCATION } from '../../packages/tillbridge-adapter-vendure/test/kit.ts'
import { freePort } from '../../sandbox/demo/free-port.ts'
import { type SandboxPlatform, startPlatform } from '../../sandbox/platform/platform.ts'
import { eventually } from '../eventually.ts'
import { deliveriesOf, keptIn, startTestHub, type TestHub } from '../hub.ts'
import { startVendure, type Vendure } from './vendure-server.ts'

// The whole source: a POS, the hub, and a real Vendure server.
const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const WEB_STOCK = 'WEB'
const open = new AsyncDisposableStack()
let shop: Vendure
let platform: SandboxPlatform
let hub: TestHub

beforeAll(async () => {
  shop = open.use(await startVendure())
  platform = open.use(await startPlatform({ ...KEYS, seedCatalogue: false }))
  const port = await freePort()
  hub = open.use(
    await startTestHub({
      destinations: {
        shop: {
          adapter: 'vendure',
          ...optionsFor(shop.url, { guestEmail: 'guest@example.com' }),
          stocks: { 900: STORE_LOCATION },
          intake: { stores: { Oslo: '101' }, country: 'NO' },
        },
      },
      config: {
        server: { port, publicUrl: `http://127.0.0.1:${port}` },
        platform: { baseUrl: platform.url, ...KEYS },
        webhooks: { kinds: 'all' },
        lookups: { orders: { tokens: ['token-of-the-pos'] } },
      },
    }),
  )
  platform.lookups.connect({ orders: { url: `${hub.url}/api/orders/search`, token: 'token-of-the-pos' } })
  await eventually(() => platform.subscriptions().length === platform.kinds().length)
})
afterAll(() => open.disposeAsync())

/** Waits until nothing is owed, and nothing has gone wrong. */
async function done(): Promise<void> {
  await platform.settled()
  await eventually(async () => {
    const rows = await deliveriesOf(hub)
    expect(rows.filter(({ state }) => state !== 'delivered' && state !== 'superseded')).toEqual([])
  }, 30_000)
}

async function orderOf(code: string): Promise<ShownOrder> {
  const found = (await shop.orders()).find((order) => order.code === code)
  if (!found) throw new Error(`The shop has no order ${code}.`)
  return found
}

test('When an endless aisle order is sold at a POS, then Vendure has it once: paid, with its lines, address and txRef', async () => {
  const receipt = platform.pos.endlessAisle({ lines: [{ sku: 'TEE-BLK-M', quantity: 2 }] })
  await done()
  const orders = await shop.orders()
  expect(orders).toHaveLength(1)
  const [order] = orders
  expect(order).toMatchObject({
    totalWithTax: 69_800,
    customFields: { posNumber: receipt.orderNo },
    lines: [{ quantity: 2, productVariant: { sku: 'TEE-BLK-M' } }],
    payments: [{ amount: 69_800, state: 'Settled', transactionId: expect.stringContaining(receipt.txRef) }],
    shippingAddress: { countryCode: 'NO', streetLine1: expect.stringMatching(/\S/), city: expect.stringMatching(/\S/) },
  })
  expect(await platform.lookups.order(receipt.orderNo ?? '')).toMatchObject({ orderNo: receipt.orderNo })
})

test('When the web stock changes, then Vendure shows its level', async () => {
  platform.actions.adjustStock({ stock: WEB_STOCK, sku: 'TEE-BLK-M', quantity: -1 })
  await done()
  const [movement] = keptIn(hub)
    .filter(({ kind }) => kind === 'StockMovementCreated')
    .reverse()
  const { stockLevel } = JSON.parse(String(movement?.body)) as { stockLevel: number }
  expect((await shop.stockOf('TEE-BLK-M', STORE_LOCATION))?.stockOnHand).toBe(stockLevel)
})

test('When a customer of the shop orders for a store, then its fulfilment and a refund come back', async () => {
  const placed = await shop.place({ lines: [{ sku: 'TEE-BLK-M', quantity: 2 }], shipping: 'pickup', store: 'Oslo' })
  await eventually(async () => {
    await hub.admin('jobs/shop-orders/run', {})
    return platform.onlineOrders().some(({ body }) => body.orderNo === placed.code)
  })
  expect(platform.onlineOrders()).toMatchObject([
    { store: { StoreNo: '101' }, body: { orderLines: [{ gtin: '7090012340011', quantity: '2' }] } },
  ])

  platform.actions.pickOrder({ orderNo: placed.code })
  await done()
  platform.actions.collectOrder({ orderNo: placed.code })
  await done()
  expect(await orderOf(placed.code)).toMatchObject({
    state: 'Delivered',
    payments: [{ amount: 69_800, state: 'Settled' }],
    fulfillments: [{ state: 'Delivered' }],
  })

  const found = await platform.lookups.order(placed.code)
  const [line] = found?.orderLines ?? []
  platform.actions.returnOrder({
    orderNo: placed.code,
    gtin: line?.gtin ?? '',
    rowId: line?.rowId ?? '',
    isRefunded: false,
  })
  await done()
  const refunds = (await orderOf(placed.code)).payments.flatMap((payment) => payment.refunds)
  expect(refunds).toMatchObject([{ total: 34_900, state: 'Settled' }])
})
