import { randomUUID } from 'node:crypto'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SandboxPlatform, startPlatform } from '../../../sandbox/platform/platform.ts'
import type { NewOrder } from '../../../src/platform/areas/orders/orders.ts'
import { createPlatform } from '../../../src/platform/create-platform.ts'
import { type Endpoint, withOverrides } from '../../../src/platform/http/endpoint.ts'
import { type OperationName, PRESETS, type Preset } from '../../../src/platform/http/endpoints.ts'
import { answerReadOf, bodyFieldsOf, keysOf } from '../../../src/platform/operation-fields.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { type Door, openDoor } from '../../door.ts'
import { type Given, OTHER_STORIES, type Story } from './other-operations.ts'

/* The client and the sandbox were written apart, both from the spec: each operation goes from one to the other and back. */

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const HEADERS = { 'x-api-key': KEYS.apiKey, 'ocp-apim-subscription-key': KEYS.subscriptionKey }
const OSLO = { storeId: '42', stockId: '12' }
const NOWHERE = 'http://127.0.0.1:9/webhooks/StockMovementCreated/all?token=t'
const NAMES = Object.keys(PRESETS.spec) as OperationName[]

/** What the spec's tables of endpoints say, with the operation for it. The rest of the operations is not in these tables. */
const IN_SPEC: readonly [string, OperationName][] = [
  ['POST /api/Products', 'products.save'],
  ['PUT /api/Products', 'products.update'],
  ['POST /api/PriceListV2', 'prices.saveList'],
  ['POST /api/Pricelist/cost', 'prices.saveCosts'],
  ['GET /api/Stores', 'stores.list'],
  ['PUT /api/Delivery', 'deliveries.create'],
  ['GET /api/GetOrdersV3', 'deliveries.list'],
  ['POST /api/Stock/adjust', 'stock.adjust'],
  ['POST /api/Stock', 'stock.levels'],
  ['GET /odata/Stockmovements', 'stockMovements.list'],
  ['GET /api/possettlement', 'settlements.list'],
  ['GET /odata/Saleslines', 'salesLines.list'],
  ['PUT /api/Sale', 'sales.import'],
  ['PUT /api/Customer', 'customers.obtain'],
  ['POST /api/Omnichannel', 'orders.create'],
  ['POST /api/Webhooks', 'webhooks.create'],
  ['GET /api/WebhooksTypes', 'webhooks.types'],
  ['GET /api/WebhooksTypes/{webhookType}/schema', 'webhooks.schema'],
  ['GET /api/WebhooksEvents/{webhookId}', 'events.list'],
]

/** Rows that the spec shows without method or path, and what public facts complete them with. */
const FROM_FACTS: readonly [Preset, string, OperationName][] = [
  ['frontsystems-v2', 'PUT /api/products/{product}', 'products.update'],
  ['spec', 'POST /api/v2/Products/bulk-insert', 'products.bulkInsert'],
  ['spec', 'PUT /api/v2/Products/bulk-upsert', 'products.bulkUpsert'],
  ['spec', 'GET /api/Product/gtin/{gtin}', 'products.byGtin'],
  ['spec', 'POST /api/Product', 'products.search'],
  ['spec', 'POST /api/Product/count', 'products.count'],
  ['spec', 'GET /odata/Stockstatus', 'stockStatus.list'],
  ['spec', 'GET /api/WebhooksEvents/{webhookId}/{webhookEventId}', 'events.get'],
  ['spec', 'POST /api/WebhooksEvents/{webhookId}/deliver/{webhookEventId}', 'events.resend'],
  ['spec', 'DELETE /api/Webhooks/{webhookId}', 'webhooks.delete'],
  ['spec', 'PUT /api/Webhooks/{webhookId}', 'webhooks.update'],
  ['spec', 'POST /api/Customer', 'customers.search'],
  ['spec', 'POST /api/Customer/count', 'customers.count'],
  ['frontsystems-v2', 'POST /api/PricelistV2', 'prices.saveList'],
  ['frontsystems-v2', 'PUT /api/PurchaseOrder', 'deliveries.create'],
  ['frontsystems-v2', 'GET /api/Possettlementv2', 'settlements.list'],
  ['frontsystems-v2', 'POST /api/OmniChannel', 'orders.create'],
  ['frontsystems-v2', 'PUT /api/OmniChannel', 'orders.update'],
  ['frontsystems-v2', 'GET /api/OmniChannel', 'orders.read'],
  ['frontsystems-v2', 'DELETE /api/OmniChannel', 'orders.delete'],
]

describe('the endpoints', () => {
  test.each(IN_SPEC)('When the spec shows %s, then %s is that', (row, name) => {
    expect(lineOf(PRESETS.spec[name])).toBe(row)
    expect(PRESETS.spec[name].known).toMatchObject({ call: 'spec', line: expect.any(Number) })
  })

  test('When the spec does not show an operation, then it is a guess there; config makes it none, and another time limit does not', () => {
    const shown = new Set(IN_SPEC.map(([, name]) => name))
    for (const name of NAMES.filter((one) => !shown.has(one)))
      expect(PRESETS.spec[name].known, name).toEqual({ call: 'guess', answer: 'guess', line: null })
    expect(PRESETS['frontsystems-v2']['orders.read'].known).toMatchObject({ call: 'public', answer: 'public' })
    expect(PRESETS['frontsystems-v2']['deliveries.list'].known).toMatchObject({ call: 'guess' })
    const changes = { 'orders.read': { path: '/api/Orders' }, 'orders.delete': { timeout: 5_000 } }
    const said = withOverrides(PRESETS.spec, changes, { fieldsOf: bodyFieldsOf, keysOf, answerOf: answerReadOf })
    expect([said['orders.read'].known.call, said['orders.delete'].known.call]).toEqual(['config', 'guess'])
  })

  test.each(FROM_FACTS)('When %s needs %s, then %s is that', (preset, row, name) => {
    expect(lineOf(PRESETS[preset][name])).toBe(row)
  })

  test('When there is an operation, then it has a row below, in both presets', () => {
    expect(Object.keys(STORIES).sort()).toEqual([...NAMES].sort())
    expect(Object.keys(PRESETS['frontsystems-v2']).sort()).toEqual([...NAMES].sort())
  })
})

/** What each operation does at the sandbox, and how it is seen to be done. */
const STORIES: Readonly<Record<OperationName, Story>> = {
  'stores.list': async ({ platform }) => {
    expect((await platform.stores.list()).rows).toContainEqual(
      expect.objectContaining({ storeId: '42', number: '101', stockId: '12', zone: 'Europe/Oslo' }),
    )
  },
  'webhooks.list': subscriptions,
  'webhooks.create': subscriptions,
  'webhooks.update': subscriptions,
  'webhooks.delete': subscriptions,
  'webhooks.types': async ({ platform }) => {
    expect((await platform.webhooks.types()).rows).toContain('OmniChannelSendReceiptCreated')
  },
  'webhooks.schema': async ({ platform }) => {
    expect(await platform.webhooks.schema('SaleCreated')).toMatchObject({ title: 'SaleCreated' })
  },
  'events.list': eventLog,
  'events.get': eventLog,
  'events.resend': eventLog,
  'products.save': async ({ platform: { products } }) => {
    const saved = await products.save(shoe('Saved', '7000000000011'))
    expect(saved?.sizes).toMatchObject([{ gtin: '7000000000011' }])
    expect(await products.byGtin('7000000000011')).toMatchObject({ productId: saved?.productId, price: '10.5' })
  },
  'products.update': async ({ platform: { products } }) => {
    await products.save(shoe('Updated', '7000000000028'))
    await products.update({ extId: 'Updated' }, { description: 'Warm' })
    expect(await products.byGtin('7000000000028')).toMatchObject({ description: 'Warm' })
  },
  'products.byExtId': async ({ platform: { products } }) => {
    const saved = await products.save(shoe('Found by extId', '7000000000073'))
    expect(await products.byExtId('Found by extId')).toMatchObject({ productId: saved?.productId })
    expect(await products.byExtId('Nowhere')).toBeNull()
  },
  'products.byGtin': async ({ platform: { products }, gtin }) => {
    expect((await products.byGtin(gtin))?.sizes).toContainEqual(expect.objectContaining({ gtin }))
    expect(await products.byGtin('7999999999999')).toBeNull()
  },
  'products.search': search,
  'products.count': search,
  'products.bulkInsert': async ({ platform: { products } }) => {
    const both = [shoe('Inserted', '7000000000035'), shoe('Inserted', '7000000000035')]
    const [part] = await Array.fromAsync(products.bulkInsert(both))
    expect(part).toMatchObject({ created: 1 })
    expect(await products.byGtin('7000000000035')).toMatchObject({ name: 'Shoe' })
  },
  'products.bulkUpsert': async ({ platform: { products } }) => {
    await products.save(shoe('Upserted', '7000000000042'))
    const both = [{ ...shoe('Upserted', '7000000000042'), price: '12' }, shoe('Upserted new', '7000000000059')]
    const [part] = await Array.fromAsync(products.bulkUpsert(both))
    expect(part).toMatchObject({ created: 1, updated: 1 })
    expect(await products.byGtin('7000000000042')).toMatchObject({ price: '12' })
  },
  'prices.saveList': priceLists,
  'prices.lists': priceLists,
  'prices.saveCosts': async ({ platform: { prices, products }, sandbox, gtin }) => {
    await prices.saveCosts({ currency: 'NOK', costPrices: [{ gtin, price: '41.25' }] })
    const { productId } = (await products.byGtin(gtin)) ?? {}
    // The client has no way to read them.
    const { body } = await request(sandbox.url).get('/api/Pricelist/cost/stockid/12').set(HEADERS)
    expect(body).toContainEqual(expect.objectContaining({ productId: Number(productId), costPrice: 41.25 }))
  },
  'stock.adjust': levels,
  'stock.levels': levels,
  'deliveries.create': deliveries,
  'deliveries.list': deliveries,
  'salesLines.list': async ({ platform, sandbox }) => {
    sandbox.till.sell({ store: '101' })
    const [window] = await Array.fromAsync(platform.salesLines.list({ ...aroundToday(), store: '42' }))
    expect(window?.rows[0]).toMatchObject({ storeId: '42', unitPrice: expect.stringMatching(/^\d/) })
  },
  'stockMovements.list': async ({ platform, sandbox }) => {
    sandbox.till.sell({ store: '101' })
    const [window] = await Array.fromAsync(platform.stockMovements.list({ ...aroundToday(), stock: '12' }))
    expect(window?.rows[0]).toMatchObject({ stockId: '12', quantity: expect.stringMatching(/\d/) })
  },
  'stockStatus.list': async ({ platform, gtin }) => {
    const { rows } = await platform.stockStatus.list({ stockId: '12' })
    expect(rows.map((row) => row.gtin)).toContain(gtin)
  },
  'settlements.list': async ({ platform, sandbox }) => {
    sandbox.till.sell({ store: '102' })
    sandbox.closeDay('102')
    const days = await Promise.all([-1, 0, 1].map((days) => platform.settlements.list({ day: utcDay(days) })))
    expect(days.flatMap(({ rows }) => rows)).toContainEqual(
      expect.objectContaining({ currency: 'NOK', storeName: 'Bergen Torg' }),
    )
  },
  'sales.import': async ({ platform, gtin }) => {
    const { customers, sales, salesLines } = platform
    const customerId = await customers.obtain({ extId: 'Buyer', firstName: 'Liv' })
    // Last summer, so that the zone shows: 22:30 in UTC is half past midnight in Oslo.
    const soldAt = Date.parse('2026-07-14T22:30:00Z')
    const sale = {
      saleGuid: randomUUID(),
      extRef: 'W-1001',
      customerId,
      saleDateTime: soldAt,
      lines: [{ gtin, price: '199.95', quantity: '2', stockId: '-1' }],
      payments: [{ amount: '399.90', type: 99, currency: 'NOK' }],
    }
    const bought = await sales.import(sale, { storeId: '42' })
    expect(await sales.import(sale, { storeId: '42' })).toBe(bought)
    const refund = {
      ...sale,
      saleGuid: randomUUID(),
      saleDateTime: soldAt + 3_600_000,
      lines: [{ gtin, price: '199.95', quantity: '-1', stockId: '12' }],
      payments: [{ amount: '-199.95', type: 99 }],
    }
    const returned = await sales.import(refund, { storeId: '42' })
    const windows = await Array.fromAsync(salesLines.list({ from: '2026-07-14', to: '2026-07-16', store: '42' }))
    const lines = windows.flatMap(({ rows }) => rows).map(({ saleId, soldAt: at, quantity }) => [saleId, at, quantity])
    expect(lines).toContainEqual([bought, '2026-07-15T00:30:00', '2'])
    expect(lines).toContainEqual([returned, '2026-07-15T01:30:00', '-1'])
  },
  'customers.obtain': customers,
  'customers.search': customers,
  'customers.count': customers,
  'orders.create': orders,
  'orders.update': orders,
  'orders.read': orders,
  'orders.delete': orders,
  ...OTHER_STORIES,
}

/** What dialects.test.ts does not try, against a platform that refuses what the public documentation does not list. */
const OTHERS = NAMES.filter((name) => Object.hasOwn(OTHER_STORIES, name))

describe.each([
  ['spec', 'facts', NAMES],
  ['frontsystems-v2', 'facts', NAMES],
  ['frontsystems-v2', 'frontsystems-v2', OTHERS],
] as const)('in the preset %s, to the dialect %s', (preset, dialect, names) => {
  let sandbox: SandboxPlatform
  let recorder: Door
  let platform: Platform
  let gtin: string
  /** What the platform was asked by each story that was told: some are told of several operations. */
  const told = new Map<Story, Promise<string[]>>()

  async function tell(story: Story): Promise<string[]> {
    const before = recorder.passed.length
    await story({ platform, sandbox, gtin })
    return recorder.passed.slice(before).map(({ line }) => line.replace(/\?.*$/s, ''))
  }

  beforeAll(async () => {
    sandbox = await startPlatform({ ...KEYS, dialect })
    recorder = await openDoor(sandbox.url)
    const base = sandbox.apiUrl.slice(sandbox.url.length)
    platform = createPlatform({ preset, baseUrl: recorder.url + base, ...KEYS })
    gtin = (await platform.stock.levels({ stockIds: ['12'] })).rows[0]?.id ?? ''
  })

  afterAll(async () => {
    await platform[Symbol.asyncDispose]()
    await recorder[Symbol.asyncDispose]()
    await sandbox[Symbol.asyncDispose]()
  })

  test.each(names)('When %s is called, then the sandbox is asked on its path, does it, and answers', async (name) => {
    const story = STORIES[name]
    const asking = told.get(story) ?? tell(story)
    told.set(story, asking)
    const asked = await asking
    const { method, path } = PRESETS[preset][name]
    const line = new RegExp(`^${method} (/restapi/V2)?${path.replace(/\{\w+\}/g, '[^/]+')}$`)
    const lines = asked.filter((one) => line.test(one))
    expect(lines).not.toEqual([])
    const fields = bodyFieldsOf(name)
    if (fields === null) return
    // What config may give another name is all that is sent.
    const { names = {} } = PRESETS[preset][name]
    const sent = [...new Set(lines)].flatMap((one) => recorder.sent(one)).flatMap(fieldsIn)
    expect(fields.map((field) => names[field] ?? field)).toEqual(expect.arrayContaining(sent))
  })
})

function fieldsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(fieldsIn)
  return Array.isArray(value) ? inner : [...Object.keys(value), ...inner]
}

function lineOf({ method, path }: Endpoint): string {
  return `${method} ${path}`
}

async function subscriptions({ platform: { webhooks } }: Given): Promise<void> {
  await webhooks.create({ event: 'StockMovementCreated', url: 'http://127.0.0.1:9/elsewhere' })
  const created = (await webhooks.list()).rows.at(-1)
  if (!created) throw new Error('The subscription is not in the list.')
  await webhooks.update({ ...created, url: NOWHERE })
  expect((await webhooks.list()).rows).toContainEqual(expect.objectContaining({ id: created.id, url: NOWHERE }))
  await webhooks.delete(created.id)
  expect((await webhooks.list()).rows.map(({ id }) => id)).not.toContain(created.id)
}

async function eventLog({ platform: { webhooks, events }, sandbox }: Given): Promise<void> {
  await webhooks.create({ event: 'StockMovementCreated', url: NOWHERE })
  const created = (await webhooks.list()).rows.at(-1)
  if (!created) throw new Error('The subscription is not in the list.')
  sandbox.till.moveStock()
  await sandbox.settled()
  const now = Date.now()
  const query = { webhookId: created.id, from: now - 3_600_000, to: now, success: false, includePayload: true }
  const [failed, ...others] = (await events.list(query)).rows
  expect(others).toEqual([])
  expect(failed).toMatchObject({ success: false, payload: { movementId: expect.any(Number) } })
  const name = { webhookId: created.id, webhookEventId: failed?.webhookEventId ?? '' }
  expect(await events.get(name)).toMatchObject({ ...name, payload: failed?.payload })
  expect(await events.get({ ...name, webhookEventId: randomUUID() })).toBe(null)
  await events.resend(name)
  expect((await events.list(query)).rows).toMatchObject([{ runsCounter: 2 }])
  await webhooks.delete(created.id)
}

async function search({ platform: { products } }: Given): Promise<void> {
  await products.save(shoe('Searched', '7000000000066'))
  const found = await Array.fromAsync(products.search({ gtins: ['7000000000066'], pageSize: 500 }))
  expect(found).toMatchObject([{ name: 'Shoe', sizes: [{ gtin: '7000000000066' }] }])
}

async function priceLists({ platform: { prices }, gtin }: Given): Promise<void> {
  const saved = await prices.saveList({ name: 'Club', prices: [{ gtin, price: '99.90', validTo: '2030-12-24' }] })
  expect((await prices.lists()).rows).toContainEqual(
    expect.objectContaining({ id: saved?.id, name: 'Club', productCount: 1 }),
  )
}

async function levels({ platform: { stock }, gtin }: Given): Promise<void> {
  await stock.adjust({ stockId: '12', description: 'Counted', items: [{ gtin, quantity: '7' }] })
  expect((await stock.levels({ stockIds: ['12'] })).rows).toContainEqual({ id: gtin, stockId: '12', quantity: '7' })
}

async function deliveries({ platform, gtin }: Given): Promise<void> {
  const orderLines = [{ gtin, qty: '3', cost: '41.25' }]
  const delivery = { extRef: 'PO-100', ...OSLO, insertAsConfirmed: true, requestId: randomUUID(), orderLines }
  const orderId = await platform.deliveries.create(delivery)
  if (platform.deliveries.heedsRequestId()) expect(await platform.deliveries.create(delivery)).toBe(orderId)
  expect((await platform.deliveries.list('12')).rows).toContainEqual(
    expect.objectContaining({ orderId, confirmedQuantity: '3', confirmedCost: '123.75', completed: false }),
  )
}

async function customers({ platform }: Given): Promise<void> {
  const customer = {
    extId: 'C-1',
    firstName: 'Liv',
    email: 'Liv@Example.com',
    phone: '99887766',
    phoneCountryPrefix: '47',
  }
  const customerId = await platform.customers.obtain(customer)
  expect(await platform.customers.obtain({ extId: 'C-1', city: 'Oslo' })).toBe(customerId)
  // Somebody whose address contains hers.
  await platform.customers.obtain({ extId: 'C-2', email: 'not-liv@example.com' })
  for (const filter of [{ email: 'liv@example.com' }, { phone: '+47 998 87 766' }, { extIds: ['C-1'] }]) {
    const found = await Array.fromAsync(platform.customers.search({ ...filter, pageSize: 1 }))
    expect(found).toMatchObject([{ customerId, extId: 'C-1', city: 'Oslo' }])
  }
  expect(await Array.fromAsync(platform.customers.search({ email: 'liv@example' }))).toEqual([])
}

async function orders({ platform, gtin }: Given): Promise<void> {
  const orderNo = `W-${randomUUID()}`
  const order: NewOrder = {
    orderNo,
    reservationLengthInHours: 48,
    customer: { firstName: 'Liv', email: 'liv@example.com', phone: '99887766', phoneCountryCode: '47' },
    billingAddress: { firstName: 'Liv', address1: 'Storgata 1', city: 'Oslo', countryCode: 'NO' },
    lines: [{ gtin, price: '199.95', quantity: '2' }],
    payments: [{ amount: '399.90', currency: 'NOK', type: 'Card' }],
    saleDateTime: Date.now(),
  }
  const orderId = await platform.orders.create(order, OSLO)
  const expected = {
    orderId,
    orderNo,
    status: 'UnHandled',
    lines: [{ gtin, quantity: '2' }],
    fulfillment: { stockId: '12' },
    customer: { email: 'liv@example.com', phoneCountryPrefix: '47' },
    shippingAddress: null,
  }
  expect(await platform.orders.read(orderNo)).toMatchObject(expected)
  const fewer = [{ gtin, price: '199.95', quantity: '1' }]
  await platform.orders.update({ ...order, status: 'UnHandled', lines: fewer }, OSLO)
  expect(await platform.orders.read(orderNo)).toMatchObject({ orderId, lines: [{ quantity: '1' }] })

  await platform.orders.delete(orderNo)
  expect(await platform.orders.read(orderNo)).toBeNull()
}

function shoe(extId: string, gtin: string) {
  const named = { name: 'Shoe', brand: 'Brand', groupName: 'Shoes', season: 'BASIC', color: 'Red', price: '10.50' }
  return { extId, ...named, createProductSpecificSize: true, productSizes: [{ gtin, label: 'M' }] }
}

/** Yesterday to tomorrow: the stores' day may be another than that of UTC. */
function aroundToday() {
  return { from: utcDay(-1), to: utcDay(1) }
}

/** The day in UTC, so many days from now: a store's own day is this one, the day before or the day after. */
function utcDay(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}
