import request from 'supertest'
import { afterAll, describe, expect, test } from 'vitest'
import { givenPlatform, HEADERS } from './given.ts'
import { call, SCARF, TEE } from './goods/given.ts'

/** The store's clock shows 23:30 of the day before: UTC is an hour behind it. */
const NIGHT = Date.parse('2026-11-20T22:30:00.250Z')
const ALL_DAYS = "from='2026-11-01'&to='2026-11-30'"

const platform = await givenPlatform({ now: () => NIGHT })
platform.pos.sell({ store: '102', lines: [{ sku: 'SOCKS-GRY', quantity: 2 }] })
platform.pos.sell({ store: '101', lines: [{ sku: TEE.sku }] })
afterAll(() => platform[Symbol.asyncDispose]())

async function odata(query: string) {
  return request(platform.url).get(`/odata/${query}`).set(HEADERS).set('accept', 'application/json')
}

describe('the nine traps of the platform', () => {
  test('Facts §1a, L376 and §5 line 36: the bulk insert answers an array of one, the bulk upsert an object', async () => {
    const products = [{ ...SCARF, extId: 'TRAP-1', productSizes: [] }]
    const inserted = await call(platform, 'post', '/api/v2/Products/bulk-insert', products)
    expect(inserted.body).toEqual([{ created: 1, unprocessedProducts: [] }])
    const upserted = await call(platform, 'put', '/api/v2/Products/bulk-upsert', products)
    expect(upserted.body).toEqual({ created: 0, updated: 1, unprocessedProducts: [] })
  })

  test('Facts §1a-1e, "200 int32": some writes answer a bare number, some the whole object, some nothing', async () => {
    const { body: customer } = await call(platform, 'put', '/api/Customer', {
      extId: 'TRAP',
      email: 'trap@example.com',
    })
    expect(customer).toEqual(expect.any(Number))
    const orderLines = [{ gtin: TEE.gtin, qty: 1, cost: 90 }]
    const delivery = { stockId: 12, storeId: 42, insertAsConfirmed: true, orderLines }
    expect((await call(platform, 'put', '/api/Delivery', delivery)).body).toEqual(expect.any(Number))
    const product = await call(platform, 'post', '/api/Products', { ...SCARF, extId: 'TRAP-2', productSizes: [] })
    expect(product.body).toMatchObject({ productid: expect.any(Number), extId: 'TRAP-2' })
    const list = await call(platform, 'post', '/api/PriceListV2', { name: 'Trap', prices: [] })
    expect(list.body).toMatchObject({ pricelistId: expect.any(Number) })
    const url = 'http://127.0.0.1:9/'
    expect((await call(platform, 'post', '/api/Webhooks', { event: 'SaleCreated', url })).text).toBe('')
  })

  test('Facts §1b "Saleslines wire types" and §5 line 13: decimals of odata are text', async () => {
    const { body } = await odata(`Saleslines?${ALL_DAYS}`)
    expect(body.value[0]).toMatchObject({
      Qty: '2.00',
      Price: expect.stringMatching(/^\d+\.\d\d$/),
      FullPrice: '149.90',
      VATPercent: '0.250',
    })
  })

  test('Facts §5 line 14: datetimes have no zone, and are of the clock in the store', async () => {
    const { body: lines } = await odata(`Saleslines?${ALL_DAYS}`)
    expect(lines.value[0]).toMatchObject({ SaleDateTime: '2026-11-20T23:30:00.25', SaleDate: '2026-11-20T00:00:00' })
    const { body: movements } = await odata(`Stockmovements?${ALL_DAYS}`)
    expect(movements.value[0]).toMatchObject({ MoveDateTime: '2026-11-20T23:30:00.25' })
  })

  test('Spec, opening: odata answers XML, unless JSON is asked for', async () => {
    const answer = await request(platform.url).get(`/odata/Saleslines?${ALL_DAYS}`).set(HEADERS)
    expect(answer.headers['content-type']).toContain('application/atom+xml')
    expect(answer.text).toContain('<d:Qty>2.00</d:Qty>')
    const json = await odata(`Saleslines?${ALL_DAYS}`)
    expect(json.headers['content-type']).toContain('application/json')
  })

  test('Facts §5 line 7: 31 days are answered, and not one more', async () => {
    const most = await odata("Saleslines?from='2026-10-31'&to='2026-11-30'")
    expect(most).toMatchObject({ status: 200, body: { value: { length: 2 } } })
    const more = await odata("Saleslines?from='2026-10-30'&to='2026-11-30'")
    expect(more).toMatchObject({
      status: 400,
      body: { 'odata.error': { message: { value: expect.stringContaining('31 days') } } },
    })
  })

  test('Facts §5 line 1: $top counts the rows that are looked at, and the rest is lost without a word', async () => {
    const wanted = `Saleslines?${ALL_DAYS}&$filter=STOREID_FK eq 42`
    expect((await odata(wanted)).body.value).toHaveLength(1)
    expect((await odata(`${wanted}&$top=1`)).body.value).toEqual([])
    expect((await odata(`${wanted}&$top=2000000`)).body.value).toHaveLength(1)
    // But not of this set.
    const status = 'Stockstatus?stock_id=12&$top=1&$filter=Stockid eq 12'
    expect((await odata(status)).body.value).toHaveLength(1)
  })

  test('Facts §1d "GET /api/possettlement" and §2: the public API requires a date of settlements, the spec has none', async () => {
    platform.closeDay('102')
    expect((await call(platform, 'get', '/api/possettlement')).body).toMatchObject([{ StoreNo: '102' }])
    const refused = await call(platform, 'get', '/api/Possettlementv2')
    expect(refused).toMatchObject({ status: 400, body: { message: 'date is required: yyyy-mm-dd.' } })
    const day = '2026-11-20'
    expect((await call(platform, 'get', `/api/Possettlementv2?date=${day}`)).body).toMatchObject([{ StoreId: 43 }])
  })

  test('Facts §1b "Saleslines from/to": a date without quotes breaks odata, which says why', async () => {
    const broken = await odata('Saleslines?from=2026-11-01&to=2026-11-30')
    expect(broken).toMatchObject({
      status: 500,
      body: { 'odata.error': { message: { value: expect.stringContaining('from is not a text in single quotes') } } },
    })
  })
})

test('refusals: When a body has more than 2 MB, then it is refused with the reason', async () => {
  const description = 'x'.repeat(2_000_001)
  const refused = await call(platform, 'post', '/api/v2/Products/bulk-insert', [{ extId: 'BIG', description }])
  expect(refused).toMatchObject({ status: 413, body: { message: expect.stringMatching(/2 MB.*several calls/) } })
  expect((await call(platform, 'get', '/api/products/BIG')).status).toBe(404)
})
