import { expect, test } from 'vitest'
import { givenPlatform } from '../given.ts'
import { call, levelOf, SCARF, TEE } from './given.ts'

const INSERT = '/api/v2/Products/bulk-insert'
const UPSERT = '/api/v2/Products/bulk-upsert'
const HAT = { extId: '60002-BLU', createProductSpecificSize: true, name: 'Hat', productSizes: [{ label: 'M' }] }

test('When products are inserted in bulk, then known ones are passed over, and the answer is an array of one (facts, line of L376)', async () => {
  await using platform = await givenPlatform()
  await call(platform, 'post', '/api/Products', SCARF)
  const { status, body } = await call(platform, 'post', INSERT, [{ ...SCARF, name: 'Other' }, HAT])
  expect(status).toBe(200)
  expect(body).toEqual([{ created: 1, unprocessedProducts: [] }])
  expect((await call(platform, 'get', `/api/products/${SCARF.extId}`)).body.name).toBe('Scarf')
})

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

test('When they bring prices and quantities, then lists and stocks have them', async () => {
  await using platform = await givenPlatform({ seedCatalogue: false })
  const gtin = '7090012350058'
  const productSizes = [{ gtin, label: 'M', stockQty: [{ stockId: 13, qty: 7 }] }]
  await call(platform, 'post', INSERT, [
    { ...HAT, productSizes, productPrices: [{ pricelistName: 'Retail SEK', price: 129 }] },
  ])
  expect(await levelOf(platform, 13, gtin)).toBe(7)
  const { body } = await call(platform, 'post', '/api/Product', { gtin, includePricelists: true })
  expect(body[0].productSizes[0].pricelists).toMatchObject([{ pricelistName: 'Retail SEK', price: 129 }])
})

test.each([
  ['post', INSERT],
  ['put', UPSERT],
] as const)('When %s %s gets more than 2 MB, or no array, then it is refused with the reason', async (method, path) => {
  await using platform = await givenPlatform()
  const large = await call(platform, method, path, [{ ...HAT, description: 'x'.repeat(2_000_000) }])
  expect(large).toMatchObject({ status: 413, body: { statusCode: 413, message: expect.stringContaining('2 MB') } })
  const fits = await call(platform, method, path, [{ ...HAT, description: 'x'.repeat(1_999_000) }])
  expect(fits.status).toBe(200)
  const single = await call(platform, method, path, HAT)
  expect(single).toMatchObject({ status: 400, body: { message: expect.stringContaining('array') } })
})
