import { expect, test } from 'vitest'
import { givenPlatform } from '../given.ts'
import { call, SCARF, TEE } from './given.ts'

const UPSERT = '/api/v2/Products/bulk-upsert'
const HAT = { extId: '60002-BLU', createProductSpecificSize: true, name: 'Hat', productSizes: [{ label: 'M' }] }

test('When products are upserted in bulk, then known ones are changed and the others created', async () => {
  await using platform = await givenPlatform()
  await call(platform, 'post', '/api/Products', SCARF)
  const { body } = await call(platform, 'put', UPSERT, [{ extId: SCARF.extId, name: 'Other' }, HAT])
  expect(body).toEqual({ created: 1, updated: 1, unprocessedProducts: [] })
  expect((await call(platform, 'get', `/api/products/${SCARF.extId}`)).body).toMatchObject({ ...SCARF, name: 'Other' })
})

test('When some of them are wrong, then it is still a 200: the right ones are done, the others told with their fields', async () => {
  await using platform = await givenPlatform()
  const { status, body } = await call(platform, 'put', UPSERT, [
    HAT,
    { extId: 'A', productSizes: [{ gtin: TEE.gtin, label: 'M' }] },
    { extId: 'B', productSizes: [{ label: 'Huge' }] },
    { extId: 'C', productPrices: [{ pricelistName: 'Club', price: 10 }] },
    { extId: 'D', productSizes: [{ label: 'M', stockQty: [{ stockId: 99, qty: 1 }] }] },
    { name: 'Nameless' },
    { extId: TEE.extId, price: -1 },
    'a text',
  ])
  expect(status).toBe(200)
  expect(body).toMatchObject({ created: 1, updated: 0 })
  expect(body.unprocessedProducts).toMatchObject([
    { isNew: true, product: { extId: 'A' }, errors: { [`GTIN ${TEE.gtin}`]: expect.stringContaining('belongs') } },
    { errors: { SizeSystem: expect.stringContaining('Huge') } },
    { errors: { ProductPrices: expect.stringContaining('Club') } },
    { errors: { StockQty: expect.stringContaining('99') } },
    { product: { name: 'Nameless' }, errors: { extId: expect.any(String) } },
    { isNew: false, product: { productId: expect.any(Number) }, errors: { price: expect.any(String) } },
    { errors: { product: expect.any(String) } },
  ])
})
