import { describe, expect, test } from 'vitest'
import { expectRefused, failureOf, givenAnswer, givenPlatform } from '../given.ts'

const noon = Date.UTC(2026, 10, 20, 12)

describe('a price list', () => {
  test('When it is saved, then prices go as exact numbers, and instants in UTC', async () => {
    await using given = await givenAnswer({ body: { pricelistId: 7, name: 'Norway' } })
    await given.platform.prices.saveList({
      name: 'Norway',
      prices: [
        { productExtId: 'A-1', price: '1399.50', validFrom: noon, validTo: '2026-12-24' },
        { gtin: '07012345678900', price: '0.1' },
        { productId: '4711', price: '899.00', validFrom: undefined },
      ],
    })
    expect(given.server.asked.map(({ line, body }) => [line, body])).toEqual([
      [
        'POST /api/PriceListV2',
        '{"name":"Norway","prices":[' +
          '{"productExtId":"A-1","price":1399.5,"validFrom":"2026-11-20T12:00:00.000Z","validTo":"2026-12-24"},' +
          '{"gtin":"07012345678900","price":0.1},' +
          '{"productId":4711,"price":899}]}',
      ],
    ])
  })

  test('When the public API is spoken, then the path is written as there', async () => {
    await using given = await givenAnswer({ body: 'Ok' }, { preset: 'frontsystems-v2' })
    await given.platform.prices.saveList({ name: 'Norway', prices: [] })
    expect(given.server.asked[0]).toMatchObject({
      line: 'POST /api/PricelistV2',
      body: '{"name":"Norway","prices":[]}',
    })
  })

  test('When no answer comes to it, then nobody knows, and it is not sent again', async () => {
    await using given = await givenAnswer('cut')
    const failure = await failureOf(given.platform.prices.saveList({ name: 'Norway', prices: [] }))
    expect(failure).toMatchObject({ name: 'UnknownOutcomeError' })
    expect(given.server.asked).toHaveLength(1)
  })

  test.each([
    ['no key', { price: '1' }, 'price 2 must name its product by one of productExtId, gtin and productId, not by 0'],
    ['two keys', { gtin: '1', productId: '2', price: '1' }, 'not by 2'],
    ['an empty key', { gtin: ' ', price: '1' }, 'price 2: the gtin is empty'],
    ['a comma', { gtin: '1', price: '1,50' }, 'price 2: the price cannot be sent: not a decimal'],
    ['more digits than a number holds', { gtin: '1', price: '0.12345678901234567890' }, 'more digits'],
    ['no time', { gtin: '1', price: '1', validFrom: 'tomorrow' }, 'price 2: the validFrom is not a time'],
    ['a time that is none', { gtin: '1', price: '1', validTo: Number.NaN }, 'price 2: the validTo is not a time'],
  ])('When a line has %s, then it is refused by its number, and nothing is sent', async (_, line, said) => {
    await using given = await givenPlatform()
    const prices = [{ gtin: '0', price: '1' }, line as { gtin: string; price: string }]
    await expectRefused(given, given.platform.prices.saveList({ name: 'Norway', prices }), said)
  })
})

test('When price lists are listed, then each has its place, and what is not known is null', async () => {
  await using given = await givenPlatform()
  const norway = { PricelistId: '7', Name: 'Norway', productCount: 3, lastUpdate: '2026-11-20T13:00:00', extra: 1 }
  given.server.play({ body: [norway, { pricelistId: 8, name: 'Sweden' }] }, '/api/Pricelist')
  expect((await given.platform.prices.lists()).rows).toEqual([
    { id: '7', name: 'Norway', productCount: 3, updated: '2026-11-20T13:00:00' },
    { id: '8', name: 'Sweden', productCount: null, updated: null },
  ])
})

describe('cost prices', () => {
  test('When they are saved, then they go in their currency', async () => {
    await using given = await givenAnswer({ body: '' })
    await given.platform.prices.saveCosts({
      currency: 'nok',
      costPrices: [
        { productId: '4711', price: '420.125' },
        { gtin: '0701', price: '3' },
        { productExtId: 'A-1', price: '0' },
      ],
    })
    expect(given.server.asked.map(({ line, body }) => [line, JSON.parse(body)])).toEqual([
      [
        'POST /api/Pricelist/cost',
        {
          currency: 'NOK',
          costPrices: [
            { productId: 4711, price: 420.125 },
            { gtin: '0701', price: 3 },
            { productExtId: 'A-1', price: 0 },
          ],
        },
      ],
    ])
  })
})
