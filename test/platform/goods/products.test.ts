import { describe, expect, test } from 'vitest'
import { failureOf, type Given, givenAnswer, givenPlatform } from '../given.ts'

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
