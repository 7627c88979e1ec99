import { expect, test } from 'vitest'
import { createPlatform } from '../../../src/platform/platform.ts'
import { apiAt, DIALECT, UNDERSTANDS } from '../../dialect.ts'
import { openDoor } from '../../door.ts'
import { eventually } from '../../eventually.ts'
import { cancelItem, OWN_SHOP, orderItem, push, saleItem } from '../../http/order-feeds/given.ts'
import { startPages } from '../../http/order-feeds/pages.ts'
import { createFolder, keptIn, startTestHub } from '../../hub.ts'
import { givenPlatform, KEYS } from '../../sandbox/platform/given.ts'
import { TEE } from '../../sandbox/platform/goods/given.ts'

const PAID = { paymentLines: [{ amount: 399.5, currency: 'NOK', type: 'card' }] }
const HOME = {
  shippingAddress: {
    firstName: 'Kari',
    lastName: 'Li',
    address1: 'Torget 1',
    city: 'Bergen',
    postalCode: '5014',
    countryCode: 'NO',
  },
}

const SOLD = { salesLines: [{ identity: TEE.gtin, price: '399.50', qty: 2 }] }

/** A shop that lists its orders, a hub that asks it every minute, and the platform behind a door. */
async function openShop(preset: 'spec' | 'frontsystems-v2' = UNDERSTANDS.preset) {
  await using opened = new AsyncDisposableStack()
  const sandbox = opened.use(await givenPlatform())
  const door = opened.use(await openDoor(sandbox.url))
  const shop = opened.use(await startPages([]))
  const folder = opened.use(await createFolder())
  const platform = opened.use(createPlatform({ preset, baseUrl: sandbox.portalUrl, ...KEYS }))
  const start = () =>
    startTestHub({
      folder: folder.path,
      destinations: {
        shop: {
          adapter: OWN_SHOP,
          url: shop.url,
          intake: { stores: { Bergen: '102' }, country: 'SE', reservationHours: 24 },
        },
      },
      config: { platform: { preset, baseUrl: apiAt(door.url), ...KEYS, saleStores: { NO: '101', SE: '201' } } },
    })
  const hubs = opened.adopt({ hub: await start() }, ({ hub }) => hub[Symbol.asyncDispose]())
  await hubs.hub.admin('jobs/stores/run', {})
  await eventually(async () => expect(await hubs.hub.hub.storage.stores()).not.toEqual([]))
  const open = opened.move()
  return {
    sandbox,
    platform,
    shop,
    hub: () => hubs.hub,
    async restart() {
      await hubs.hub[Symbol.asyncDispose]()
      hubs.hub = await start()
    },
    /** Asks the shop now, and waits until what it said is done. */
    async poll() {
      const before = shop.asked.length
      await hubs.hub.admin('jobs/shop-orders/run', {})
      await eventually(() => expect(shop.asked.length).toBeGreaterThan(before))
      await eventually(async () => {
        const { body } = await hubs.hub.admin<{ jobs: { name: string; running: boolean }[] }>('jobs')
        expect(body.jobs.find(({ name }) => name === 'shop-orders')).toMatchObject({ running: false })
        const status = await hubs.hub.admin<{ destinations: { waiting: number; inFlight: number }[] }>('status')
        expect(status.body.destinations.every(({ waiting, inFlight }) => waiting + inFlight === 0)).toBe(true)
      })
    },
    sent: () =>
      door.passed
        .filter(({ line }) => /^(POST|PUT|DELETE) .*(OmniChannel|Sale|Customer)\b/i.test(line))
        .map(({ line, headers, body }) => ({
          line,
          store: headers['x-storeid'] ?? headers['x-stockid'],
          body: body && JSON.parse(body),
        })),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

const ASKED = [
  ['spec', '43'],
  ['frontsystems-v2', '13'],
] as const

// A platform of facts is asked in either way, any other in its own.
for (const [preset, store] of ASKED.filter(([preset]) => DIALECT === 'facts' || preset === UNDERSTANDS.preset))
  test(`When customers order for a store at a shop of ${preset}, then the store gets each as what it is; changed and cancelled too`, async () => {
    await using the = await openShop(preset)
    the.shop.pages.push([orderItem('K-1', PAID), orderItem('K-2')], [orderItem('K-3', { ...PAID, ...HOME })])
    await the.poll()
    const read = async (orderNo: string) => await the.platform.orders.read(orderNo)
    expect(await read('K-1')).toMatchObject({
      type: 'BOPIS',
      status: 'UnHandled',
      record: { reservationLengthInHours: 24 },
    })
    expect(await read('K-2')).toMatchObject({ type: 'ROPIS', record: { store: { storeExtId: '102' } } })
    expect(await read('K-3')).toMatchObject({ type: 'BOSS', shippingAddress: { address1: 'Torget 1' } })
    const { storage: kept } = the.hub().hub
    expect(await kept.links('shop', 'order', ['K-1'])).toMatchObject([{ theirId: 'id-K-1' }])
    const theirs = await kept.links('platform', 'order', ['K-1'])
    // Where no answer is shown, the platform's own number of an order is not known.
    expect(theirs).toMatchObject(DIALECT === 'spec' ? [] : [{ theirId: expect.stringMatching(/^\d+$/) }])
    const creates = the.sent()
    expect(creates.map((one) => one.store)).toEqual([store, store, store])
    expect(creates.every(({ line }) => line.startsWith('POST '))).toBe(true)
    if (preset === 'spec') {
      const first = creates.find(({ body }) => body.orderNo === 'K-1')?.body
      expect(first).toMatchObject({
        status: 'UnHandled',
        saleDateTime: '2026-11-20T10:30:00+01:00',
        orderLines: [{ gtin: '7040000010017', price: '399.5', quantity: '1' }],
        paymentLines: [{ amount: '399.5', currency: 'NOK', type: 'card' }],
      })
      expect(first).not.toHaveProperty('shippingAddress')
      expect(creates.find(({ body }) => body.orderNo === 'K-2')?.body).not.toHaveProperty('paymentLines')
    }

    // The specification shows no way to change an order, or to take it back: dialects-submitted.test.ts.
    if (DIALECT === 'spec') return
    the.shop.pages.push([orderItem('K-1', PAID), orderItem('K-2', PAID), cancelItem('K-3'), cancelItem('K-none')])
    await the.poll()
    expect(await read('K-2')).toMatchObject({ type: 'BOPIS' })
    expect(await read('K-3')).toBeNull()
    expect(
      the
        .sent()
        .slice(3)
        .map(({ line }) => line.split(' ')[0])
        .toSorted(),
    ).toEqual(['DELETE', 'PUT'])
  })

test('When online orders are completed, then they are imported as sales, customer first, and no stock changes', async () => {
  await using the = await openShop()
  the.shop.pages.push([orderItem('K-1'), saleItem('E-1', SOLD), saleItem('E-2', { ...SOLD, country: 'NO' })])
  await the.poll()
  // The order for a store was fetched: its sale is the platform's.
  the.shop.pages.push([saleItem('K-1')])
  await the.poll()
  // They are about nothing in common, so that either may go first.
  const sales = the
    .sent()
    .filter(({ line }) => line === 'PUT /api/Sale')
    .toSorted((a, b) => String(a.body.extRef).localeCompare(String(b.body.extRef)))
  // The public documentation has no stock of a line, and refuses it.
  const line = { qty: 2, ...(DIALECT !== 'frontsystems-v2' && { stockid: -1 }) }
  // Where it was placed is what config says: the shop knows where the customer lives.
  expect(sales).toMatchObject([
    { store: '51', body: { extRef: 'E-1', salesLines: [line], paymentLines: [{ amount: 799 }] } },
    { store: '51', body: { extRef: 'E-2' } },
  ])
  const customer = the.sent().findIndex(({ line }) => line === 'PUT /api/Customer')
  expect(customer).toBeGreaterThanOrEqual(0)
  expect(customer).toBeLessThan(the.sent().findIndex(({ line }) => line === 'PUT /api/Sale'))
  expect(sales[0]?.body.customerID).toBeGreaterThan(0)
})

test('When the hub ends before it noted how far it had read, then it reads the page again, and no order is there twice', async () => {
  await using the = await openShop()
  const items = [orderItem('K-1'), saleItem('E-1', SOLD), cancelItem('K-2')]
  the.shop.pages.push(items)
  // What it had taken when it ended: the same keys, and no cursor.
  expect((await push(the.hub(), items.slice(0, 2))).body.ids).toHaveLength(2)
  await the.restart()
  await the.poll()
  await the.poll()
  expect(keptIn(the.hub()).map(({ kind }) => kind)).toEqual(['OrderSubmitted', 'SaleSubmitted'])
  expect(
    the
      .sent()
      .map(({ line }) => line.toLowerCase())
      .toSorted(),
  ).toEqual(['post /api/omnichannel', 'put /api/customer', 'put /api/sale'])
})
