import { describe, expect, test } from 'vitest'
import { ASSORTMENT } from '../../../../sandbox/platform/platform.ts'
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

  test('When the same extId is posted again, then it is that product, changed; a new size comes to the old ones', async () => {
    await using platform = await givenPlatform()
    const { body: first } = await call(platform, 'post', '/api/Products', SCARF)
    const productSizes = [{ gtin: '7090012350027', label: '200 cm' }]
    const { body: second } = await call(platform, 'post', '/api/Products', {
      ...SCARF,
      name: 'Long scarf',
      productSizes,
    })
    expect(second).toMatchObject({ productid: first.productid, name: 'Long scarf' })
    expect(second.productSizes).toMatchObject([{ label: '180 cm' }, { label: '200 cm' }])
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

  test.each([
    ['no name', { name: undefined }, 'name'],
    ['no season', { season: undefined }, 'season'],
    ['a field that there is not', { weight: 3 }, 'weight'],
    ['a GTIN of letters', { productSizes: [{ gtin: 'ABC' }] }, 'GTIN'],
    ['a GTIN of another product', { productSizes: [{ gtin: TEE.gtin, label: 'M' }] }, `GTIN ${TEE.gtin}`],
    ['an image that is no URL', { images: ['scarf.jpg'] }, 'images'],
    ['11 images', { images: Array.from({ length: 11 }, (_, at) => `https://images.example/${at}`) }, 'images'],
    ['a sort index of letters', { productSizes: [{ label: 'M', labelSortIndex: 'first' }] }, 'labelSortIndex'],
    ['a size that no system has', { createProductSpecificSize: false }, 'SizeSystem'],
  ])('When it is posted with %s, then it is refused, and the field is named', async (_, part, named) => {
    await using platform = await givenPlatform()
    const answer = await call(platform, 'post', '/api/Products', { ...SCARF, ...part })
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(named) } })
    expect((await call(platform, 'get', `/api/products/${SCARF.extId}`)).status).toBe(404)
  })

  test('When a part is put, by id or extId in the path or by extId in the body, then only that part changes', async () => {
    await using platform = await givenPlatform()
    const { body: created } = await call(platform, 'post', '/api/Products', SCARF)
    const images = ['https://images.example/new.jpg']
    await call(platform, 'put', `/api/products/${created.productid}`, { description: 'Warm.' })
    await call(platform, 'put', `/api/products/${encodeURIComponent(SCARF.extId)}`, { images })
    await call(platform, 'put', '/api/Products', { extId: SCARF.extId, price: 199 })
    const { body } = await call(platform, 'get', `/api/products/${SCARF.extId}`)
    expect(body).toMatchObject({ ...SCARF, description: 'Warm.', images, price: 199 })
  })

  test('When a put names no product, or an unknown one, then it is refused', async () => {
    await using platform = await givenPlatform()
    const nameless = await call(platform, 'put', '/api/Products', { description: 'Warm.' })
    expect(nameless).toMatchObject({ status: 400, body: { message: expect.stringContaining('extId or productid') } })
    expect((await call(platform, 'put', '/api/Products', { extId: 'none' })).status).toBe(404)
    expect((await call(platform, 'put', '/api/products/none', {})).status).toBe(404)
    expect((await call(platform, 'delete', '/api/products/none')).status).toBe(404)
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
  test('When products are listed, then all that the tills sell is there, without its extId (facts, line of L71)', async () => {
    await using platform = await givenPlatform({ seedCatalogue: false })
    const { body } = await call(platform, 'post', '/api/Product', {})
    const gtins = body.flatMap(({ productSizes }: { productSizes: { gtin: string }[] }) =>
      productSizes.map(({ gtin }) => gtin),
    )
    expect(gtins).toEqual(expect.arrayContaining(ASSORTMENT.map(({ gtin }) => gtin)))
    expect(body[0]).not.toHaveProperty('extId')
    expect((await call(platform, 'post', '/api/Product/count', {})).body).toBe(body.length)
  })

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

  test('When only what changed since is asked for, then only that is told', async () => {
    let now = Date.parse('2026-11-20T10:00:00Z')
    await using platform = await givenPlatform({ now: () => now })
    now += 60_000
    await call(platform, 'put', `/api/products/${TEE.extId}`, { description: 'Soft.' })
    const { body } = await call(platform, 'post', '/api/Product', { upt: '2026-11-20T10:01:00Z' })
    expect(body).toMatchObject([{ description: 'Soft.' }])
  })

  test('When more is to be told of a product, then its sizes tell it', async () => {
    await using platform = await givenPlatform()
    await call(platform, 'put', `/api/products/${TEE.extId}`, { productSizes: [{ label: 'L' }] })
    const filter = { gtin: TEE.gtin, includeStockQuantity: true, includePricelists: true, includeEmptyGTINs: true }
    const { body } = await call(platform, 'post', '/api/Product', { ...filter, includeAlternativeIdentifiers: true })
    expect(body).toMatchObject([
      {
        productSizes: [
          {
            gtin: TEE.gtin,
            stockQty: expect.arrayContaining([{ stockId: 12, qty: 30 }]),
            pricelists: expect.arrayContaining([expect.objectContaining({ currency: 'SEK', price: 349 })]),
            identifiers: [],
          },
          { label: 'L', gtin: null },
        ],
      },
    ])
    const plain = await call(platform, 'post', '/api/Product', { gtin: TEE.gtin })
    expect(plain.body[0].productSizes).toHaveLength(1)
    expect(plain.body[0].productSizes[0]).not.toHaveProperty('stockQty')
  })

  test.each([
    ['a page of nothing', { pageSize: 0 }, 'pageSize'],
    ['a day that is none', { upt: 'yesterday' }, 'upt'],
    ['identifiers on a large page', { includeAlternativeIdentifiers: true, pageSize: 2_000 }, 'pageSize'],
  ])('When the list is asked with %s, then it is refused', async (_, filter, named) => {
    await using platform = await givenPlatform()
    const answer = await call(platform, 'post', '/api/Product', filter)
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(named) } })
  })

  test('When nobody has a GTIN, then the lookup is an empty array and no error (facts, line of L387)', async () => {
    await using platform = await givenPlatform()
    expect(await call(platform, 'get', '/api/Product/gtin/4006381333931')).toMatchObject({ status: 200, body: [] })
    expect((await call(platform, 'get', `/api/Product/gtin/${TEE.gtin}`)).body).toMatchObject([{ number: '10234' }])
  })
})
