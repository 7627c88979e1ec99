import request from 'supertest'
import { expect, test } from 'vitest'
import { givenPlatform, HEADERS } from '../given.ts'

test.each([
  ['post', '/api/Products'],
  ['put', '/api/Products'],
  ['get', '/api/products/10234-01'],
  ['put', '/api/products/10234-01'],
  ['delete', '/api/products/10234-01'],
  ['post', '/api/v2/Products/bulk-insert'],
  ['put', '/api/v2/Products/bulk-upsert'],
  ['post', '/api/Product'],
  ['post', '/api/Product/count'],
  ['get', '/api/Product/gtin/7090012340011'],
  ['post', '/api/PriceListV2'],
  ['get', '/api/Pricelist'],
  ['get', '/api/Pricelist/301'],
  ['post', '/api/Pricelist/cost'],
  ['get', '/api/Pricelist/cost/stockid/12'],
  ['post', '/api/Stock/adjust'],
  ['post', '/api/Stock'],
  ['post', '/api/Stock/count'],
  ['get', '/api/Stock/list'],
  ['put', '/api/Delivery'],
  ['put', '/api/PurchaseOrder'],
  ['get', '/api/GetOrdersV3?stockid=12'],
] as const)('When %s %s comes without a key, or with a wrong one, then nothing is told', async (method, path) => {
  await using platform = await givenPlatform()
  const bare = await request(platform.url)[method](path)
  expect(bare).toMatchObject({ status: 401, body: { message: expect.stringContaining('missing subscription key') } })
  const wrong = await request(platform.url)
    [method](path)
    .set({ ...HEADERS, 'x-api-key': 'guessed' })
  expect(wrong).toMatchObject({ status: 401, body: { message: expect.stringContaining('API key') } })
})
