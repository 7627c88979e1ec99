import { describe, expect, test } from 'vitest'
import { givenPlatform } from '../given.ts'
import { call, SCARF, TEE } from './given.ts'

describe('one product', () => {
  test('When an unknown extId is posted, then it is created with its group, brand, season and colour', async () => {
    await using platform = await givenPlatform({ seedCatalogue: false })
    const { status, body } = await call(platform, 'post', '/api/Products', SCARF)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      productid: expect.any(Number),
      extId: SCARF.extId,
      groupName: 'Scarves',
      brand: 'Sørvind',
      season: 'SS27',
      color: 'Cherry',
      pictureRef: SCARF.images[0],
      productSizes: [{ identity: expect.stringMatching(/^\d+$/), gtin: '7090012350010', labelSortIndex: '0,1' }],
    })
    const found = await call(platform, 'post', '/api/Product', { brands: ['Sørvind'], seasons: ['SS27'] })
    expect(found.body).toMatchObject([{ productid: body.productid }])
  })

  test('When a size gets another GTIN, then it is the same size, found by the new one only (facts, §5 line 28)', async () => {
    await using platform = await givenPlatform()
    const { body: first } = await call(platform, 'post', '/api/Products', SCARF)
    const productSizes = [{ gtin: '7090012350034', label: '180 cm' }]
    const { body: second } = await call(platform, 'put', `/api/products/${SCARF.extId}`, { productSizes })
    expect(second.productSizes).toMatchObject([
      { identity: first.productSizes[0].identity, gtin: '7090012350034', externalSKU: 'SCARF-RED' },
    ])
    expect((await call(platform, 'get', '/api/Product/gtin/7090012350010')).body).toEqual([])
    expect((await call(platform, 'get', '/api/Product/gtin/7090012350034')).body).toMatchObject([{ name: 'Scarf' }])
  })

  test('When a product with movements is to get other sizes, then it is refused; without, not (facts, §5 line 30)', async () => {
    await using platform = await givenPlatform()
    const path = `/api/products/${TEE.extId}`
    expect((await call(platform, 'put', path, { createProductSpecificSize: false })).status).toBe(200)
    platform.till.sell({ lines: [{ sku: TEE.sku }] })
    const answer = await call(platform, 'put', path, { createProductSpecificSize: true })
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('SizeSystem') } })
  })
})

describe('product lists', () => {
  test('When a product is posted to the list, then that creates nothing, and answers 200 (facts, §5 line 19)', async () => {
    await using platform = await givenPlatform()
    const { body: before } = await call(platform, 'post', '/api/Product/count', {})
    const answer = await call(platform, 'post', '/api/Product', SCARF)
    expect(answer).toMatchObject({ status: 200, body: expect.any(Array) })
    expect((await call(platform, 'post', '/api/Product/count', {})).body).toBe(before)
  })

  test('When a product is deleted, then lists still have it, unless they exclude it (facts, §5 line 26)', async () => {
    await using platform = await givenPlatform()
    const filter = { gtin: TEE.gtin }
    expect((await call(platform, 'delete', `/api/products/${TEE.extId}`)).status).toBe(200)
    expect((await call(platform, 'post', '/api/Product', filter)).body).toHaveLength(1)
    expect((await call(platform, 'post', '/api/Product', { ...filter, excludeDeleted: true })).body).toEqual([])
    expect((await call(platform, 'post', '/api/Product/count', { ...filter, excludeDeleted: true })).body).toBe(0)
  })

  test('When a product is deleted, then its GTIN is free for another, and its own extId brings it back', async () => {
    await using platform = await givenPlatform({ seedCatalogue: false })
    await call(platform, 'post', '/api/Products', SCARF)
    await call(platform, 'delete', `/api/products/${SCARF.extId}`)
    const other = await call(platform, 'post', '/api/Products', { ...SCARF, extId: '60003-RED' })
    expect(other.status).toBe(200)
    const productSizes = [{ label: '180 cm', gtin: '7090012350072' }]
    await call(platform, 'post', '/api/Products', { ...SCARF, productSizes })
    const { body } = await call(platform, 'post', '/api/Product', { brands: ['Sørvind'], excludeDeleted: true })
    expect(body).toHaveLength(2)
  })

  test('When a page is filtered, then it may be empty while more follow (facts, §5 line 27)', async () => {
    await using platform = await givenPlatform()
    const { body: coat } = await call(platform, 'get', '/api/Product/gtin/7090012340073')
    const filter = { productIds: [coat[0].productid], pageSize: 3 }
    const pages = await Promise.all(
      [0, 3, 6].map(
        async (pageSkip) => (await call(platform, 'post', '/api/Product', { ...filter, pageSkip })).body.length,
      ),
    )
    expect(pages).toEqual([0, 0, 1])
    expect((await call(platform, 'post', '/api/Product/count', filter)).body).toBe(1)
  })

  test('When nobody has a GTIN, then the lookup is an empty array and no error (facts, line of L387)', async () => {
    await using platform = await givenPlatform()
    expect(await call(platform, 'get', '/api/Product/gtin/4006381333931')).toMatchObject({ status: 200, body: [] })
    expect((await call(platform, 'get', `/api/Product/gtin/${TEE.gtin}`)).body).toMatchObject([{ number: '10234' }])
  })
})
