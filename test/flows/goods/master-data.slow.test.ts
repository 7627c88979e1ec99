import { request } from 'undici'
import { expect, test } from 'vitest'
import type { UnsellableReport } from '../../../src/admin/products.ts'
import type { ProductDifference } from '../../../src/domain/catalogue/finding.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { asking } from '../../cli/run.ts'
import { createTestClock } from '../../clock.ts'
import { DIALECT } from '../../dialect.ts'
import { eventually } from '../../eventually.ts'
import { startTestHub } from '../../hub.ts'
import { givenPlatform, KEYS } from '../../sandbox/platform/given.ts'
import { LINGER, waiting } from '../days/open-store.ts'

const MINUTE = 60_000
const RETAIL = { NO: 'Retail NOK', '201': 'Retail SEK', SE: 'Retail SEK' }

const TEE = { extId: '10234-01', gtin: '7090012340011' }

// No bulk call of the public documentation has an external SKU, and none is kept.
const JACKET = {
  extId: '4000-BLUE',
  createProductSpecificSize: true,
  name: 'Rain jacket',
  number: '4000',
  variant: 'BLUE',
  groupName: 'Jackets',
  season: 'AW26',
  color: 'Blue',
  brand: 'Nordlys',
  price: '1299.50',
  productSizes: [
    { gtin: '7090000004000', label: 'M', ...(DIALECT !== 'frontsystems-v2' && { externalSKU: 'RAIN-M' }) },
  ],
}

/** The platform, a hub that mirrors all of it, and an ERP with a key. `folder`: where the hub's file is to outlive it. */
async function openCatalogue(folder?: string) {
  await using opened = new AsyncDisposableStack()
  const clock = createTestClock()
  const sandbox = opened.use(await givenPlatform({ seedCatalogue: false, now: clock.now }))
  const startHub = () =>
    startTestHub({
      clock,
      ...(folder !== undefined && { folder }),
      config: { platform: { baseUrl: sandbox.apiUrl, ...KEYS, retailLists: RETAIL }, mirror: 'all' },
    })
  let hub = await startHub()
  opened.defer(() => hub[Symbol.asyncDispose]())
  const portal = opened.use(createPlatform({ preset: 'spec', baseUrl: sandbox.portalUrl, ...KEYS }))
  await hub.admin('jobs/stores/run', {})
  const { body } = await hub.admin<{ key: string }>('keys', {
    system: 'erp',
    may: 'products,prices,product-deletions,price-ends',
  })
  let submissions = 0

  async function run(name: string): Promise<string> {
    const { body } = await hub.admin<{ note: string; problem: string | null }>(`jobs/${name}/run`, {})
    expect(body.problem).toBeNull()
    return body.note
  }

  async function quiet(): Promise<void> {
    await eventually(async () => {
      clock.advance(LINGER)
      return (await waiting(hub)) === 0
    })
  }

  const open = opened.move()
  return {
    clock,
    get hub() {
      return hub
    },
    async restart() {
      await hub[Symbol.asyncDispose]()
      hub = await startHub()
    },
    portal,
    run,
    quiet,
    async submit(resource: string, lines: readonly object[]): Promise<void> {
      submissions += 1
      const { status, text } = await hub.ask(`/v1/${resource}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${body.key}`,
          'idempotency-key': `submission-${submissions}`,
          'content-type': 'application/x-ndjson',
        },
        body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      })
      expect({ status, text }).toMatchObject({ status: 202 })
      await quiet()
    },
    async remove(extId: string): Promise<void> {
      const headers = { 'x-api-key': KEYS.apiKey, 'ocp-apim-subscription-key': KEYS.subscriptionKey }
      await request(`${sandbox.portalUrl}/api/products/${extId}`, { method: 'DELETE', headers })
    },
    /** The platform has taken its time, and everything was read. */
    async readBack(): Promise<string> {
      await run('products')
      for (const _ of ['noticed', 'at rest']) {
        clock.advance(16 * MINUTE)
        await run('products')
      }
      await quiet()
      return await run('read-back')
    },
    differences: async (query = '') =>
      (await hub.admin<{ differences: ProductDifference[] }>(`products/differences${query}`)).body.differences,
    unsellable: async (query = '') => (await hub.admin<UnsellableReport>(`products/unsellable${query}`)).body,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

test('When the platform has other data than an ERP submitted, then 15 minutes later each difference is told, and it is gone once they agree', async () => {
  await using the = await openCatalogue()
  const { portal, clock } = the
  expect(await the.run('products')).toMatch(/^all: 9 products, 9 other than before/)
  await the.quiet()
  await the.submit('products', [JACKET])
  await the.submit('prices', [
    { list: 'Retail NOK', productExtId: JACKET.extId, price: '1299.50' },
    { list: 'Retail NOK', gtin: TEE.gtin, price: '349.00' },
  ])
  // Somebody has another idea.
  await portal.products.save({ ...JACKET, name: 'Rain jakcet', productSizes: [{ gtin: '7090000004000', label: 'L' }] })
  await portal.prices.saveList({ name: 'Retail NOK', prices: [{ productExtId: JACKET.extId, price: '999' }] })

  await the.run('products')
  await the.quiet()
  expect(await the.run('read-back')).toMatch('0 products, 0 prices')
  expect(await the.readBack()).toBe('1 product, 2 prices: 3 differences more, 0 gone, 3 open')

  const reported = (await the.differences()).map(({ subject, field, submitted, read }) => [
    subject,
    field,
    submitted,
    read,
  ])
  expect(reported).toEqual(
    expect.arrayContaining([
      [JACKET.extId, 'name', 'Rain jacket', 'Rain jakcet'],
      [JACKET.extId, 'label of 7090000004000', 'M', 'L'],
      [JACKET.extId, 'price in Retail NOK', '1299.5', '999'],
    ]),
  )
  const price = (await the.differences('?store=101')).find(({ field }) => field.startsWith('price'))
  expect(price?.stores).toEqual(['101', '102', '103'])
  expect((await the.differences('?store=201')).map(({ field }) => field)).not.toContain('price in Retail NOK')
  expect(the.hub.lines.filter(({ msg }) => msg === 'products.differ')).toMatchObject([{ more: 3, open: 3 }])

  // The ERP sends it again; nothing that it says of another product is touched.
  await the.submit('products?force=true', [JACKET])
  await the.submit('prices', [{ list: 'Retail NOK', productExtId: JACKET.extId, price: '1299.50' }])
  expect(await the.readBack()).toBe('1 product, 1 price: 0 differences more, 3 gone, 0 open')
  expect(await the.differences()).toEqual([])
  expect(await the.differences('?state=gone')).toHaveLength(3)

  // Nothing is checked twice.
  clock.advance(MINUTE)
  expect(await the.run('read-back')).toMatch('0 products, 0 prices: 0 differences more')
})

test('When a product has no price in the recommended retail list of a store, then it is not sellable there, which is told once', async () => {
  await using the = await openCatalogue()
  await the.run('products')
  await the.quiet()
  expect((await the.unsellable()).stores).toContainEqual({
    store: '201',
    name: 'Stockholm Hamngatan',
    list: 'Retail SEK',
    unsellable: 0,
  })

  await the.submit('products', [{ ...JACKET, productPrices: [{ pricelistName: 'Retail NOK', price: '1299.50' }] }])
  expect(await the.run('products')).toMatch('1 more without a price in Retail SEK')
  await the.quiet()
  const { stores, lists } = await the.unsellable()
  expect(stores.map(({ store, unsellable }) => [store, unsellable])).toEqual(
    expect.arrayContaining([
      ['101', 0],
      ['201', 1],
      ['202', 1],
    ]),
  )
  expect(lists).toContainEqual({
    list: 'Retail SEK',
    count: 1,
    products: [expect.objectContaining({ name: 'Rain jacket', number: '4000' })],
  })
  expect((await the.unsellable('?store=101')).lists).toEqual([{ list: 'Retail NOK', count: 0, products: [] }])
  the.clock.advance(MINUTE)
  expect(await the.run('products')).not.toContain('without a price')
  expect(the.hub.lines.filter(({ msg }) => msg === 'products.unsellable')).toMatchObject([
    { lists: { 'Retail SEK': 1 } },
  ])

  await the.submit('prices', [{ list: 'Retail SEK', productExtId: JACKET.extId, price: '1399' }])
  expect(await the.readBack()).toBe('1 product, 1 price: 0 differences more, 0 gone, 0 open')
  expect((await the.unsellable('?store=201')).stores).toMatchObject([{ unsellable: 0 }])
})

test('When a product was acknowledged and is not there, then that is told, until it is', async () => {
  await using the = await openCatalogue()
  await the.run('products')
  await the.submit('products', [JACKET])
  await the.remove(JACKET.extId)
  expect(await the.readBack()).toBe('1 product, 0 prices: 1 difference more, 0 gone, 1 open')
  const [difference] = await the.differences('?store=201')
  expect(difference).toMatchObject({ subject: JACKET.extId, field: 'product', submitted: 'there', read: null })

  const run = asking(the.hub)
  expect((await run('products', 'differences')).out).toMatch(/4000-BLUE +product +there +\(nothing\)/)
  expect((await run('products', 'unsellable')).out).toMatch(/^101 +Oslo City +Retail NOK +0$/m)
  expect(await run('products', 'differences', '--store', '999')).toMatchObject({
    code: 2,
    err: expect.stringContaining('there is no store 999; there are 101, '),
  })

  await the.submit('products?force=true', [JACKET])
  expect(await the.readBack()).toBe('1 product, 0 prices: 0 differences more, 1 gone, 0 open')
})

test('When a price is for a campaign that is under way, then it is read back, and no word is said once it is over', async () => {
  await using the = await openCatalogue()
  const day = 24 * 60 * MINUTE
  await the.run('products')
  const campaign = {
    validFrom: new Date(the.clock.now() - day).toISOString(),
    validTo: new Date(the.clock.now() + 2 * day).toISOString(),
  }
  await the.submit('prices', [{ list: 'Retail NOK', productExtId: TEE.extId, price: '249', ...campaign }])
  // Its beginning is the same: it takes the other one's place.
  await the.portal.prices.saveList({
    name: 'Retail NOK',
    prices: [{ productExtId: TEE.extId, price: '199', ...campaign }],
  })
  expect(await the.readBack()).toMatch('1 difference more')
  expect(await the.differences()).toMatchObject([
    {
      subject: TEE.extId,
      submitted: '249',
      read: '199 or 349',
      field: `price in Retail NOK from ${campaign.validFrom}`,
    },
  ])
  the.clock.advance(2 * day)
  expect(await the.run('read-back')).toMatch('1 gone, 0 open')
})

test('When a product was deleted, or a campaign ended, by the system that submitted it, then it is not missed', async () => {
  await using the = await openCatalogue()
  await the.run('products')
  await the.quiet()
  await the.submit('products', [JACKET])
  await the.submit('product-deletions', [{ extId: JACKET.extId }])
  const campaign = { list: 'Autumn', productExtId: TEE.extId, validFrom: '2020-01-01T00:00:00.000Z' }
  await the.submit('prices', [{ ...campaign, price: '99', validTo: '2040-01-01T00:00:00Z' }])
  await the.submit('price-ends', [campaign])
  expect(await the.readBack()).toMatch(/0 differences more/)
  expect(await the.differences()).toEqual([])
})
