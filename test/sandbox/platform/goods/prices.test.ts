import { describe, expect, test } from 'vitest'
import { givenPlatform } from '../given.ts'
import { call, TEE } from './given.ts'

const LIST = { name: 'Club', prices: [{ productExtId: TEE.extId, price: 299 }] }

describe('price lists', () => {
  test('When nothing was pushed yet, then there is a list for each currency', async () => {
    await using platform = await givenPlatform({ seedCatalogue: false })
    const { body } = await call(platform, 'get', '/api/Pricelist')
    expect(body).toMatchObject([
      { pricelistId: expect.any(Number), name: 'Retail NOK', productCount: 9, lastUpdate: expect.any(String) },
      { name: 'Retail SEK', productCount: 9 },
    ])
  })

  test('When a list is pushed twice, then it is one list; a price from another day on is one more, from the same one replaced', async () => {
    await using platform = await givenPlatform()
    const { status, body: first } = await call(platform, 'post', '/api/PriceListV2', LIST)
    expect(status).toBe(200)
    expect(first).toMatchObject({ pricelistId: expect.any(Number), name: 'Club', productCount: 1 })
    const prices = [
      { gtin: TEE.gtin, price: 279 },
      { productExtId: TEE.extId, price: 199, validFrom: '2026-12-27', validTo: '2027-01-10T22:59:59Z' },
    ]
    const { body: second } = await call(platform, 'post', '/api/PriceListV2', { name: 'Club', prices })
    expect(second).toMatchObject({ pricelistId: first.pricelistId, productCount: 1 })
    const { body } = await call(platform, 'get', `/api/Pricelist/${first.pricelistId}`)
    expect(body.prices).toMatchObject([
      // Without dates it holds from the first to the last (facts, §1a "open dates").
      { price: 279, validFrom: '2000-01-01T00:00:00.000Z', validTo: '9999-12-31T00:00:00.000Z' },
      { price: 199, validFrom: '2026-12-27T00:00:00.000Z', validTo: '2027-01-10T22:59:59.000Z' },
    ])
  })

  test('When a list is named by its id, then its name may change', async () => {
    await using platform = await givenPlatform()
    const { body: first } = await call(platform, 'post', '/api/PriceListV2', LIST)
    const renamed = { ...LIST, name: 'Members', pricelistId: first.pricelistId }
    expect((await call(platform, 'post', '/api/PriceListV2', renamed)).body).toMatchObject({
      ...first,
      name: 'Members',
      lastUpdate: expect.any(String),
    })
    expect((await call(platform, 'get', '/api/Pricelist')).body).toHaveLength(3)
  })

  test.each([
    ['no name', { name: undefined }, 'name'],
    ['no prices', { prices: undefined }, 'prices'],
    ['an unknown id', { pricelistId: 7 }, 'pricelistId 7'],
    ['a line without a product', { prices: [{ price: 1 }] }, 'prices[0]'],
    ['an unknown product', { prices: [...LIST.prices, { productExtId: 'none', price: 1 }] }, 'prices[1]'],
    ['a price below 0', { prices: [{ productExtId: TEE.extId, price: -1 }] }, 'price'],
    ['a day that is none', { prices: [{ ...LIST.prices[0], validFrom: '2026-13-01' }] }, 'validFrom'],
    [
      'an end before its start',
      { prices: [{ ...LIST.prices[0], validFrom: '2027-01-01', validTo: '2026-01-01' }] },
      'validTo',
    ],
  ])('When a list is pushed with %s, then it is refused, and there is no such list', async (_, part, named) => {
    await using platform = await givenPlatform()
    const answer = await call(platform, 'post', '/api/PriceListV2', { ...LIST, ...part })
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(named) } })
    expect((await call(platform, 'get', '/api/Pricelist')).body).toHaveLength(2)
  })

  test('When a list is asked for that there is not, then it is not found', async () => {
    await using platform = await givenPlatform()
    expect((await call(platform, 'get', '/api/Pricelist/7')).status).toBe(404)
  })
})

describe('cost prices', () => {
  test('When costs are pushed for a currency, then each stock of it has them, and no other', async () => {
    await using platform = await givenPlatform()
    const costPrices = [{ gtin: TEE.gtin, price: 111.25 }]
    const answer = await call(platform, 'post', '/api/Pricelist/cost', { currency: 'NOK', costPrices })
    expect(answer).toMatchObject({ status: 200, text: '' })
    const { body: tee } = await call(platform, 'get', `/api/Product/gtin/${TEE.gtin}`)
    const costs = await Promise.all(
      [12, 13, 21].map(async (stock) => {
        const { body } = await call(platform, 'get', `/api/Pricelist/cost/stockid/${stock}`)
        return (body as { productId: number; costPrice: number }[]).find(
          ({ productId }) => productId === tee[0].productid,
        )
      }),
    )
    expect(costs).toMatchObject([
      { currency: 'NOK', stockId: 12, costPrice: 111.25 },
      { stockId: 13, costPrice: 111.25 },
      { currency: 'SEK', costPrice: 139.6 },
    ])
  })

  test.each([
    ['no currency and no stock', {}, 'stockId'],
    ['a currency of nobody', { currency: 'USD' }, 'USD'],
    ['an unknown product', { currency: 'NOK', costPrices: [{ productId: 1, price: 1 }] }, 'costPrices[0]'],
    ['a text as price', { currency: 'NOK', costPrices: [{ gtin: TEE.gtin, price: '1' }] }, 'price'],
  ])('When costs are pushed with %s, then they are refused', async (_, part, named) => {
    await using platform = await givenPlatform()
    const answer = await call(platform, 'post', '/api/Pricelist/cost', { costPrices: [], ...part })
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(named) } })
  })
})
