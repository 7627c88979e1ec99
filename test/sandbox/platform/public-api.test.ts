import request from 'supertest'
import { expect, test } from 'vitest'
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
