import request from 'supertest'
import { expect, test } from 'vitest'
import { instantIn } from '../../../sandbox/platform/sales/clock.ts'
import { givenPlatform, HEADERS } from './given.ts'

test('When an order comes as the public API has it, then it is the order that the spec has', async () => {
  await using platform = await givenPlatform()
  const [{ id: gtin = '' } = {}] = (
    await request(platform.url)
      .post('/api/Stock')
      .set(HEADERS)
      .send({ stockIds: [12], useGTIN: true })
  ).body
  const order = {
    orderNo: 'W-1',
    status: 'UnHandled',
    customer: { firstName: 'Liv', phoneCountryPrefix: '47', address: { city: 'Oslo' } },
    orderLines: [{ gtin, price: 349.5, quantity: 2 }],
    paymentLines: [{ amount: 699, currency: 'NOK', type: 'Card' }],
    createdDateTime: '2026-11-20T12:00:00Z',
  }
  const send = (headers: object) =>
    request(platform.url)
      .post('/api/OmniChannel')
      .set({ ...HEADERS, ...headers })
      .send(order)
  await send({ 'X-StoreId': '42' }).expect(400)
  await send({ 'x-StockId': '12' }).expect(200)
  const { body } = await request(platform.url).get('/api/OmniChannel').query({ orderNo: 'W-1' }).set(HEADERS)
  expect(body).toMatchObject({
    orderLines: [{ gtin, price: 349.5, quantity: 2 }],
    customer: { phoneCountryCode: '47' },
    billingAddress: { city: 'Oslo' },
    saleDateTime: '2026-11-20T12:00:00Z',
  })
})

test('When products are read by odata, then variants have no sizes, and sizes name their variant', async () => {
  await using platform = await givenPlatform()
  const read = (set: string) =>
    request(platform.url).get(`/odata/${set}`).set(HEADERS).set('accept', 'application/json').expect(200)
  const products = (await read('Products')).body.value
  const sizes = (await read('ProductListSizes')).body.value
  expect(Object.keys(products[0])).not.toContain('EAN')
  expect(sizes[0]).toMatchObject({ EAN: expect.any(String) })
  expect(products.map(({ PRODUCTID }: { PRODUCTID: number }) => PRODUCTID)).toContain(sizes[0].PRODUCTID_FK)
})

test.each([
  ['2026-01-15T13:00:00', '2026-01-15T12:00:00Z'],
  ['2026-07-15T00:30:00', '2026-07-14T22:30:00Z'],
  ['2026-03-29T01:59:59', '2026-03-29T00:59:59Z'],
  ['2026-03-29T03:00:00', '2026-03-29T01:00:00Z'],
  ['2026-10-25T01:59:59', '2026-10-24T23:59:59Z'],
  // The hour that comes twice: the first one.
  ['2026-10-25T02:30:00', '2026-10-25T00:30:00Z'],
  ['2026-10-25T03:00:00', '2026-10-25T02:00:00Z'],
])('When a clock in Oslo shows %s, then it is %s', (wall, utc) => {
  expect(instantIn(wall, { TimeZoneInfo: 'Europe/Oslo' })).toBe(Date.parse(utc))
})
