import { randomUUID } from 'node:crypto'
import request from 'supertest'
import { describe, expect, test } from 'vitest'
import type { SandboxPlatform } from '../../../sandbox/platform/platform.ts'
import { KINDS } from '../../../sandbox/platform/schemas/kinds.ts'
import { givenPlatform, HEADERS, startReceiver, subscribe } from './given.ts'

type Method = 'get' | 'post' | 'put' | 'delete'

function ask(platform: SandboxPlatform, method: Method, path: string, body?: object, headers: object = {}) {
  const base = path.startsWith('/odata') ? platform.url : platform.apiUrl
  const asked = request(base)
    [method](path)
    .set({ ...HEADERS, accept: 'application/json', ...headers })
  return body === undefined ? asked : asked.send(body)
}

const GUID = '11111111-2222-4333-8444-555555555555'
const NOWHERE = 'http://127.0.0.1:9/'

describe('spec', () => {
  for (const [method, path] of [
    ['get', '/api/Webhooks'],
    ['put', `/api/Webhooks/${GUID}`],
    ['delete', `/api/Webhooks/${GUID}`],
    ['get', `/api/WebhooksEvents/${GUID}/${GUID}`],
    ['post', `/api/WebhooksEvents/${GUID}/deliver/${GUID}`],
    ['put', '/api/v2/Products/bulk-upsert'],
    ['post', '/api/Product'],
    ['get', '/api/Product/gtin/7090012340011'],
    ['get', '/api/Pricelist'],
    ['post', '/api/Customer'],
    ['get', '/api/Omnichannel?orderNo=W-1'],
    ['delete', '/api/Omnichannel?orderNo=W-1'],
    ['put', '/api/PurchaseOrder'],
    ['get', '/odata/Stockstatus'],
  ] as const)
    test(`When ${method} ${path} is asked for, then it is not there: the specification does not show it`, async () => {
      await using platform = await givenPlatform({ dialect: 'spec', seedCatalogue: false })
      await ask(platform, method, path, method === 'get' ? undefined : {}).expect(404)
    })

  test('When something is written, then the answer is 200 and empty; only a customer has an id', async () => {
    await using platform = await givenPlatform({ dialect: 'spec' })
    const { body: customerID } = await ask(platform, 'put', '/api/Customer', { extId: 'c-1', firstName: 'Liv' })
    expect(customerID).toEqual(expect.any(Number))
    const gtin = '7090012340011'
    const store = { 'X-StoreId': '42' }
    const writes = [
      ['post', '/api/Webhooks', { event: 'SaleCreated', url: NOWHERE }],
      ['post', '/api/Products', { extId: 'P-1', name: 'Cap', brand: '', groupName: '', season: '', color: '' }],
      ['post', '/api/PriceListV2', { name: 'Retail NOK', prices: [{ gtin, price: 12 }] }],
      ['post', '/api/Pricelist/cost', { currency: 'NOK', costPrices: [{ gtin, price: 5 }] }],
      ['post', '/api/Stock/adjust', { stockId: 12, items: [{ gtin, quantity: 3 }] }],
      ['put', '/api/Delivery', { stockId: 12, storeId: 42, orderLines: [{ gtin, qty: 1, cost: 5 }] }],
      ['post', '/api/Omnichannel', order(gtin), store],
      ['put', '/api/Sale', { ...sale(gtin, Number(customerID)), saleDateTime: '2026-11-20T12:00:00Z' }, store],
    ] as const
    for (const [method, path, body, headers] of writes) {
      const answer = await ask(platform, method, path, body, headers)
      expect([answer.status, answer.text], `${path}: ${answer.text}`).toEqual([200, ''])
    }
    expect(platform.onlineOrders()).toHaveLength(1)
    expect(platform.importedOrders()).toEqual([{ orderNo: 'W-2', total: '199.00' }])
  })

  test('When a request says more than is shown, then that is not heeded, and a column that is not named is none', async () => {
    await using platform = await givenPlatform({ dialect: 'spec', seedCatalogue: false })
    const delivery = { stockId: 12, storeId: 42, orderLines: [{ gtin: '7090012340011', qty: 1, cost: 5 }] }
    for (const _ of 'ab') await ask(platform, 'put', '/api/Delivery', { ...delivery, requestId: GUID }).expect(200)
    const { body: orders } = await ask(platform, 'get', '/api/GetOrdersV3?stockid=12')
    expect(orders).toHaveLength(2)
    platform.pos.sell({ store: '101' })
    platform.closeDay('101')
    const { body: settlements } = await ask(platform, 'get', '/api/possettlement?date=1999-01-01')
    expect(settlements).toHaveLength(1)
    const { body: lines } = await ask(platform, 'get', '/odata/Saleslines')
    expect(Object.keys(lines.value[0])).toEqual(['STOREID_FK', 'SaleDateTime', 'Qty', 'EAN', 'Price', 'FullPrice'])
    const refused = await ask(platform, 'get', '/odata/Saleslines?$select=Qty,Currency').expect(400)
    expect(refused.body['odata.error'].message.value).toContain('Currency')
  })

  test('When a kind is shown nowhere, then its fields are called otherwise at each seed, and its schema alone tells', async () => {
    const reported = async (seed: number) => {
      await using platform = await givenPlatform({ dialect: 'spec', seed, seedCatalogue: false })
      await using receiver = await startReceiver()
      await subscribe(platform, 'GiftCardTransactionCreated', receiver.url)
      platform.actions.sellGiftCard({ store: '101', amount: 300 })
      await platform.settled()
      const { body: schema } = await ask(platform, 'get', '/api/WebhooksTypes/GiftCardTransactionCreated/schema')
      return { payload: receiver.bodies[0] as object, names: Object.keys(schema.properties) }
    }
    const [first, again, other] = [await reported(1), await reported(1), await reported(2)]
    expect(Object.keys(first.payload).sort()).toEqual(first.names.toSorted())
    expect(JSON.stringify(first.payload)).not.toMatch(/amount|currency|token|companyId/i)
    expect(again.names).toEqual(first.names)
    expect(other.names.filter((name) => first.names.includes(name))).toEqual([])
    // Some stand deeper.
    expect(Object.values(first.payload).some((value) => typeof value === 'object')).toBe(true)
  })
})

describe('frontsystems-v2', () => {
  test.each([
    ['an unknown parameter', 'get', '/api/Stores?country=NO', undefined, 'country'],
    ['a parameter of the other dialect', 'get', `/api/WebhooksEvents/${GUID}?success=false`, undefined, 'success'],
    [
      'a day where a time is wanted',
      'get',
      `/api/WebhooksEvents/${GUID}?from=2026-11-20&to=2026-11-21`,
      undefined,
      'from',
    ],
    ['no day', 'get', '/api/Possettlementv2', undefined, 'date'],
    ['an unknown field', 'post', '/api/Stock', { stockIds: [12], useGtin: true }, 'useGtin'],
    ['a number as text', 'post', '/api/Stock', { stockIds: ['12'] }, 'number'],
    ['half a piece', 'post', '/api/Stock/adjust', { stockId: 12, items: [{ gtin: '1', quantity: 1.5 }] }, 'quantity'],
    ['text in an order', 'post', '/api/OmniChannel', order('7090012340011'), 'price'],
    [
      'a cost by the other id',
      'post',
      '/api/Pricelist/cost',
      { costPrices: [{ productExtId: 'P', price: 1 }] },
      'productExtId',
    ],
  ] as const)('When %s is sent, then it is refused with the reason', async (_, method, path, body, named) => {
    await using platform = await givenPlatform({ dialect: 'frontsystems-v2', seedCatalogue: false })
    const { text } = await ask(platform, method, path, body, { 'x-StockId': '12' }).expect(400)
    expect(text).toContain(named)
  })

  test('When an order is written and read, then amounts are numbers, and it has the documented fields and no other', async () => {
    await using platform = await givenPlatform({ dialect: 'frontsystems-v2', seedCatalogue: false })
    const { billingAddress: _, customer, orderLines, saleDateTime, ...rest } = order('7090012340011')
    const sent = {
      ...rest,
      createdDateTime: saleDateTime,
      customer: { firstName: 'Liv', phoneCountryPrefix: customer.phoneCountryCode, address: { city: 'Oslo' } },
      orderLines: orderLines.map(({ gtin }) => ({ gtin, price: 199, quantity: 2 })),
    }
    await ask(platform, 'post', '/api/OmniChannel', sent, { 'X-StoreId': '42' }).expect(400)
    const { body: id } = await ask(platform, 'post', '/api/OmniChannel', sent, { 'x-StockId': '12' }).expect(200)
    const { body: read } = await ask(platform, 'get', '/api/OmniChannel?orderNo=W-1')
    expect(read).toMatchObject({
      orderId: id,
      total: 398,
      vatTotal: 79.6,
      customer: { phoneCountryPrefix: '47', address: { city: 'Oslo' } },
      orderLines: [{ price: 199, fullPrice: 199, vat: 79.6, status: 'UnHandled' }],
    })
    for (const name of ['billingAddress', 'saleDateTime', 'id']) expect(read).not.toHaveProperty(name)
    await ask(platform, 'put', '/api/OmniChannel', { ...sent, status: 'Picked' }, { 'x-StockId': '12' }).expect(400)
  })

  test('When a sale is imported, then its time is the clock of Central Europe, whatever zone is written behind it', async () => {
    await using platform = await givenPlatform({ dialect: 'frontsystems-v2', seedCatalogue: false })
    const { body: customerID } = await ask(platform, 'put', '/api/Customer', { extId: 'c-1' })
    const { stockid: _, ...line } = sale('7090012340011', 1).salesLines[0] ?? { stockid: 0 }
    for (const saleDateTime of ['2026-11-20T23:30:00', '2026-11-20T23:30:00Z']) {
      const body = { ...sale('', Number(customerID)), saleGuid: randomUUID(), salesLines: [line], saleDateTime }
      await ask(platform, 'put', '/api/Sale', body, { 'x-storeId': '42' }).expect(200)
    }
    const span = `from='2026-11-20'&to='2026-11-20'`
    const { body } = await ask(platform, 'get', `/odata/Saleslines?${span}&$select=SaleDateTime`)
    const times = body.value.map(({ SaleDateTime }: { SaleDateTime: string }) => SaleDateTime.slice(0, 19))
    expect(times).toEqual(['2026-11-20T23:30:00', '2026-11-20T23:30:00'])
  })

  test('When a kind is shown nowhere, then it comes in the nearest shape that the documentation has', async () => {
    await using platform = await givenPlatform({ dialect: 'frontsystems-v2', seedCatalogue: false })
    await using receiver = await startReceiver()
    for (const kind of KINDS) await subscribe(platform, kind, `${receiver.url}${kind}`)
    platform.actions.sell({ store: '101', payment: 'split' })
    platform.closeDay('101')
    platform.actions.reserveStock({ stock: '101' })
    await platform.settled()
    const of = (kind: string) => receiver.bodies[receiver.paths.indexOf(`/${kind}`)]
    expect(of('POSSettlementCreated')).toMatchObject({
      storeExtId: '101',
      batchNumber: 1,
      paymentTypes: expect.arrayContaining([
        expect.objectContaining({ type: 'Cash', currencyTendered: expect.any(Number) }),
      ]),
    })
    expect(of('StockReservationCreated')).toMatchObject({ stockidFk: 12, qty: 1, isReleased: false })
  })
})

function order(gtin: string) {
  return {
    orderNo: 'W-1',
    status: 'UnHandled',
    customer: { firstName: 'Liv', phoneCountryCode: '47' },
    billingAddress: { city: 'Oslo' },
    orderLines: [{ gtin, price: '199', quantity: '2' }],
    saleDateTime: '2026-11-20T12:00:00Z',
  }
}

function sale(identity: string, customerID: number) {
  return {
    saleGuid: GUID,
    extRef: 'W-2',
    customerID,
    salesLines: [{ identity, price: 199, qty: 1, stockid: -1 }],
    paymentLines: [{ amount: 199, paymentType: 10 }],
  }
}

const NOON = Date.parse('2026-11-20T12:00:00.120Z')
const NOVEMBER = "from='2026-11-01'&to='2026-11-30'"

describe('Saleslines', () => {
  // Facts, §5 traps 10, 13 and 14.
  test('When a day was sold, then its lines have decimals as text and the store’s time without a zone', async () => {
    await using platform = await givenPlatform({ now: () => NOON })
    platform.pos.sell({
      store: '101',
      lines: [
        { sku: 'SOCKS-GRY', quantity: 3 },
        { sku: 'COFFEE', quantity: -1 },
      ],
    })
    const { body } = await read(platform, `Saleslines?${NOVEMBER}`).expect(200)
    expect(body['odata.metadata']).toContain('/odata/$metadata#Saleslines')
    expect(body.value).toMatchObject([
      { STOREID_FK: 42, EAN: '7090012340059', Qty: '3.00', FullPrice: '149.90', VATPercent: '0.250', Currency: 'NOK' },
      { Qty: '-1.00', FullPrice: '45.50', VATPercent: '0.150', SaleDateTime: '2026-11-20T13:00:00.12' },
    ])
    expect(Number(body.value[1].Price)).toBeGreaterThan(0)
  })

  // Facts, §5 trap 6.
  test('When no days are given, then only the current month is shown, and nobody says so', async () => {
    let now = Date.parse('2026-10-31T12:00:00Z')
    await using platform = await givenPlatform({ now: () => now })
    platform.pos.sell({ lines: [{ sku: 'COFFEE' }] })
    now = NOON
    platform.pos.sell({ lines: [{ sku: 'COFFEE' }] })
    expect(await count(platform, 'Saleslines')).toBe(1)
  })

  // Facts, §5 trap 3.
  test('When a joined column is filtered, then there are no rows, and no error', async () => {
    await using platform = await givenPlatform({ now: () => NOON })
    platform.pos.sell({ store: '101', lines: [{ sku: 'COFFEE' }] })
    expect(await count(platform, `Saleslines?${NOVEMBER}&$filter=Store eq 'Oslo City'`)).toBe(0)
    const day = "SaleDate ge datetime'2026-11-20T00:00:00' and SaleDate lt datetime'2026-11-21T00:00:00'"
    expect(await count(platform, `Saleslines?${NOVEMBER}&$filter=STOCKID_FK eq 12 and ${day}`)).toBe(1)
  })
})

function read(platform: SandboxPlatform, path: string) {
  return request(platform.url)
    .get(`/odata/${path.replaceAll(' ', '%20')}`)
    .set({ ...HEADERS, accept: 'application/json' })
}

async function count(platform: SandboxPlatform, path: string): Promise<number> {
  const { body } = await read(platform, path).expect(200)
  return body.value.length
}
