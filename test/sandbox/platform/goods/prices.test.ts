import { describe, expect, test } from 'vitest'
import { givenPlatform } from '../given.ts'
import { call, TEE } from './given.ts'

const LIST = { name: 'Club', prices: [{ productExtId: TEE.extId, price: 299 }] }

describe('price lists', () => {
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
})
