import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fitsAlone, type Sized, splitBySize } from '../../../src/platform/resources/products.ts'
import { expectRefused, failureOf, type Given, givenAnswer, givenPlatform } from '../given.ts'

const shoe = { extId: 'A-1', name: 'Shoe', price: '1399.50', cost: '0.1' }
const row = (productid: number) => ({ productid, name: `Product ${productid}` })

describe('saving a product', () => {
  test('When it is saved, then exactly what was given goes', async () => {
    await using given = await givenAnswer({ body: { productid: 4711, extId: 'A-1' } })
    await given.platform.products.save({
      ...shoe,
      color: undefined,
      productSizes: [{ gtin: '0701', label: 'M', labelSortIndex: '0,1' }],
    })
    expect(sentTo(given)).toEqual([
      [
        'POST /api/Products',
        '{"extId":"A-1","name":"Shoe","price":1399.5,"cost":0.1,' +
          '"productSizes":[{"gtin":"0701","label":"M","labelSortIndex":"0,1"}]}',
      ],
    ])
  })

  test.each([
    [[], 'a list of 0 products'],
    [[row(1), row(2)], 'a list of 2 products'],
    [{ productid: 9, extId: 'B-2' }, 'another product'],
  ])('When %j is answered, then it is not taken for saved', async (body, why) => {
    await using given = await givenAnswer({ body })
    const failure = await failureOf(given.platform.products.save(shoe))
    expect(failure).toMatchObject({ name: 'UnknownOutcomeError', message: expect.stringContaining(why) })
  })
})

test.each([
  ['spec', { gtin: '0701', label: 'M', labelSortIndex: '1', externalSKU: 'A-M' }],
  ['frontsystems-v2', { gtin: '0701', label: 'M' }],
] as const)('sizes of a bulk product hold in the preset %s what its document has of them', async (preset, size) => {
  await using given = await givenAnswer({ body: { created: 1, updated: 0 } }, { preset })
  const productSizes = [{ gtin: '0701', label: 'M', labelSortIndex: '1', externalSKU: 'A-M' }]
  await Array.fromAsync(given.platform.products.bulkUpsert([{ extId: 'A', productSizes }]))
  expect(JSON.parse(given.server.asked[0]?.body ?? '')).toEqual([{ extId: 'A', productSizes: [size] }])
})

/** The id stands in the path, as the public documentation has it. */
const BY_PATH = { 'products.update': { path: '/api/Products/{product}' } }

describe('updating a product', () => {
  test('an update names its product in the body where the path has no place for it, under the name that config says', async () => {
    const endpoints = { 'products.update': { names: { extId: 'externalId' } } }
    for (const [options, extId] of [
      [{}, 'extId'],
      [{ endpoints }, 'externalId'],
    ] as const) {
      await using given = await givenAnswer({ status: 204 }, options)
      await given.platform.products.update({ extId: '4711/A' }, { description: 'Warm' })
      await given.platform.products.update({ productId: '4711' }, { images: ['https://img.example/1.jpg'] })
      expect(sentTo(given)).toEqual([
        ['PUT /api/Products', `{"${extId}":"4711/A","description":"Warm"}`],
        ['PUT /api/Products', '{"productid":4711,"images":["https://img.example/1.jpg"]}'],
      ])
    }
  })

  test('an update that is answered with another product, or a list, is no success', async () => {
    await using given = await givenAnswer([
      { body: { extId: 'A-2', productId: 1 } },
      { body: [{}, {}] },
      { body: { extId: 'A-1' } },
    ])
    const update = () => given.platform.products.update({ extId: 'A-1' }, { description: 'Warm' })
    for (const what of ['another product', 'a list of 2 products'])
      expect(await failureOf(update())).toMatchObject({
        name: 'UnknownOutcomeError',
        message: expect.stringContaining(`products.update was answered with ${what}`),
      })
    await update()
  })

  test('When description and images change, then only they go, to the id in the path', async () => {
    await using given = await givenAnswer({ body: {} }, { endpoints: BY_PATH })
    await given.platform.products.update({ extId: 'A 1' }, { description: 'Warm' })
    await given.platform.products.update({ productId: '4711' }, { images: ['https://img.example/1.jpg'] })
    expect(sentTo(given)).toEqual([
      ['PUT /api/Products/A%201', '{"description":"Warm"}'],
      ['PUT /api/Products/4711', '{"images":["https://img.example/1.jpg"]}'],
    ])
  })
})

describe('looking up a GTIN', () => {
  const found = { ProductId: 4711, Name: 'Shoe', Price: '1399.50', ProductSizes: [{ Gtin: '0701' }] }

  test.each([[[found]], [found]])('When it answers %j, then that is the product', async (body) => {
    await using given = await givenAnswer({ body })
    const product = await given.platform.products.byGtin('0701')
    expect(product).toMatchObject({ productId: '4711', name: 'Shoe', price: '1399.5', extId: null })
    expect(given.server.asked[0]?.line).toBe('GET /api/Product/gtin/0701')
  })

  test.each([{ body: [] }, { status: 204 }])('When it answers %j, then there is none', async (reply) => {
    await using given = await givenAnswer(reply)
    expect(await given.platform.products.byGtin('0701')).toBeNull()
  })

  test('When two come, then the one that has the GTIN is it', async () => {
    await using given = await givenAnswer({ body: [row(1), found] })
    expect(await given.platform.products.byGtin('0701')).toMatchObject({ productId: '4711' })
  })

  test('When two come, then one that has it as a further GTIN is it; where neither names it, nobody knows which', async () => {
    await using given = await givenPlatform()
    const further = { ...row(2), productSizes: [{ gtin: '1', identifiers: [{ id: '0702', type: 'EAN' }] }] }
    given.server.play({ body: [row(1), further] })
    expect(await given.platform.products.byGtin('0702')).toMatchObject({ productId: '2' })
    expect(await given.platform.products.byGtin('0703')).toBeNull()
  })
})

describe('searching products', () => {
  test('When all are on the first page, then it is the only one, and deleted ones are not asked for', async () => {
    await using given = await givenPlatform()
    given.server.play({ body: [row(1), row(2)] }, '/api/Product')
    given.server.play({ body: 2 }, '/api/Product/count')
    const search = given.platform.products.search({ changedSince: Date.UTC(2026, 10, 20), gtins: ['0701'] })
    expect(await idsOf(search)).toEqual(['1', '2'])
    const filter = '"upt":"2026-11-20T00:00:00.000Z","excludeDeleted":true,"gtiNs":["0701"]'
    expect(sentTo(given)).toEqual([
      ['POST /api/Product', `{${filter},"pageSize":1000,"pageSkip":0}`],
      ['POST /api/Product/count', `{${filter}}`],
    ])
  })

  test('When pageSkip counts products, then that is seen, and each still comes once', async () => {
    await using given = await givenPlatform()
    const pages = [[row(1), row(2)], [row(2), row(3)], [row(3), row(4)], [row(5)]]
    given.server.play(
      pages.map((body) => ({ body })),
      '/api/Product',
    )
    given.server.play({ body: 5 }, '/api/Product/count')
    expect(await idsOf(given.platform.products.search({ pageSize: 2 }))).toEqual(['1', '2', '3', '4', '5'])
    expect(pagesOf(given)).toEqual([0, 1, 2, 4])
  })

  test('When pages did not find all, and do not tell what pageSkip counts, then products are counted', async () => {
    await using given = await givenPlatform()
    given.server.play(
      [[], [], [], [], [row(5)]].map((body) => ({ body })),
      '/api/Product',
    )
    given.server.play([{ body: 1 }, { body: 6 }], '/api/Product/count')
    expect(await idsOf(given.platform.products.search({ pageSize: 2 }))).toEqual(['5'])
    expect(pagesOf(given)).toEqual([0, 1, 2, 2, 4])
  })

  test('When fewer come than are counted, then that is an error after the last one, not an end', async () => {
    await using given = await givenPlatform()
    given.server.play([{ body: [row(1)] }, { body: [] }], '/api/Product')
    given.server.play({ body: 3 }, '/api/Product/count')
    const ids: string[] = []
    const failure = await failureOf(
      (async () => {
        for await (const { productId } of given.platform.products.search({ pageSize: 2 })) ids.push(productId)
      })(),
    )
    expect(ids).toEqual(['1'])
    expect(failure).toMatchObject({ name: 'RetryLaterError', code: 'incomplete' })
  })
})

function sentTo({ server }: Given): string[][] {
  return server.asked.map(({ line, body }) => [line, body])
}

function pagesOf({ server }: Given): unknown[] {
  return server.asked.flatMap(({ line, body }) =>
    line === 'POST /api/Product' ? [(JSON.parse(body) as { pageSkip: number }).pageSkip] : [],
  )
}

async function idsOf(search: AsyncIterable<{ productId: string }>): Promise<string[]> {
  return (await Array.fromAsync(search)).map(({ productId }) => productId)
}

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

test('cost prices: When they are saved, then they go in their currency', async () => {
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

const LIMIT = 150

interface Item extends Sized {
  value: object
}

/** Letters of one to four bytes in UTF-8, a half of a pair among them, and characters that JSON escapes. */
const value = fc.record({
  extId: fc.string({ unit: 'binary', maxLength: 12 }),
  name: fc.option(fc.constantFrom('ø', '漢字', '👟👟', '\u0000', '\ud800', '"', ''), { nil: undefined }),
})

const items = fc
  .array(value, { maxLength: 40 })
  .map((values) =>
    values
      .map((each): Item => ({ value: each, bytes: Buffer.byteLength(JSON.stringify(each)) }))
      .filter(({ bytes }) => bytes !== null && fitsAlone(bytes, LIMIT)),
  )
  // One in ten is not sent, and only keeps its place.
  .chain((sent) =>
    fc
      .array(fc.integer({ min: 0, max: 9 }), { minLength: sent.length, maxLength: sent.length })
      .map((dice) => sent.map((item, index): Item => (dice[index] === 0 ? { ...item, bytes: null } : item))),
  )

describe('when products are split into bodies', () => {
  test('then each stands in one of them, in order', async () => {
    await fc.assert(
      fc.asyncProperty(items, async (given) => {
        const parts = await partsOf(given)
        expect(parts.flat()).toEqual(given)
        expect(parts.every((part) => part.length > 0)).toBe(true)
      }),
    )
  })

  test('then no body is larger than the limit, measured as it is sent', async () => {
    await fc.assert(
      fc.asyncProperty(items, async (given) => {
        for (const part of await partsOf(given)) expect(sizeOf(part)).toBeLessThanOrEqual(LIMIT)
      }),
    )
  })

  test('then no body could have taken the next product', async () => {
    await fc.assert(
      fc.asyncProperty(items, async (given) => {
        const parts = await partsOf(given)
        for (const [index, part] of parts.slice(0, -1).entries())
          expect(sizeOf([...part, ...(parts[index + 1] ?? []).slice(0, 1)])).toBeGreaterThan(LIMIT)
      }),
    )
  })

  test('then there are as few bodies as there can be', async () => {
    await fc.assert(
      fc.asyncProperty(items, async (given) => {
        const sent = given.filter(({ bytes }) => bytes !== null)
        expect(await partsOf(sent)).toHaveLength(fewestParts(sent))
      }),
    )
  })
})

function partsOf(given: Item[]): Promise<Item[][]> {
  return Array.fromAsync(splitBySize(given, LIMIT))
}

function sizeOf(part: Item[]): number {
  return Buffer.byteLength(JSON.stringify(part.filter(({ bytes }) => bytes !== null).map(({ value: each }) => each)))
}

/** By trying every way to cut, not by the way of the code. */
function fewestParts(given: Item[]): number {
  const fewest = [0]
  for (let end = 1; end <= given.length; end++) {
    const ways = Array.from({ length: end }, (_, start) => start).filter(
      (start) => sizeOf(given.slice(start, end)) <= LIMIT,
    )
    fewest.push(1 + Math.min(...ways.map((start) => fewest[start] ?? Infinity)))
  }
  return fewest[given.length] ?? 0
}
