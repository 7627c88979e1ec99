import { describe, expect, test } from 'vitest'
import type { BulkItem, BulkPart, BulkProduct } from '../../../src/platform/resources/products.ts'
import { failureOf, type Given, givenAnswer, givenPlatform } from '../given.ts'

const two = [{ extId: 'A' }, { extId: 'B' }]
const refused = (extId: string | null, errors: unknown) => ({ isNew: true, product: { extId }, errors })

describe('sending many products', () => {
  test('When they are inserted, then a list of them goes, with exact numbers and the fields of the bulk form', async () => {
    await using given = await givenAnswer({ body: [{ created: 1 }] })
    const product = {
      extId: 'A',
      price: '1399.50',
      productSizes: [{ gtin: '0701', stockQty: [{ stockId: '12', qty: '3' }] }],
      productPrices: [{ pricelistName: 'Norway', price: '0.10' }],
      isWebAvailable: false,
    }
    expect(await all(given.platform.products.bulkInsert([product]))).toEqual([
      {
        created: 1,
        updated: null,
        items: [{ index: 0, extId: 'A', status: 'created', errors: {}, retry: false }],
        isShort: false,
        unmatched: [],
      },
    ])
    expect(given.server.asked.map(({ line, body }) => [line, body])).toEqual([
      [
        'POST /api/v2/Products/bulk-insert',
        '[{"extId":"A","price":1399.5,"productSizes":[{"gtin":"0701","stockQty":[{"stockId":12,"qty":3}]}],' +
          '"productPrices":[{"pricelistName":"Norway","price":0.1}],"isWebAvailable":false}]',
      ],
    ])
  })

  test('When more come than one request may hold, then each goes once, in order, in bodies of at most 2 MB', async () => {
    await using given = await givenAnswer({ body: 'Ok' })
    // Two bytes each in UTF-8: counted as characters, twice as many would seem to fit.
    const description = 'ø'.repeat(300_000)
    let taken = 0
    async function* products(): AsyncGenerator<BulkProduct> {
      for (let number = 0; number < 8; number++) {
        taken++
        yield { extId: `P${number}`, description }
      }
    }
    const parts = given.platform.products.bulkUpsert(products())
    const first = await parts.next()
    expect(first.value?.items).toHaveLength(3)
    // The first part and the one that did not fit: the others have not been read.
    expect(taken).toBe(4)
    const rest = await all(parts)
    expect([first.value, ...rest].flatMap((part) => part?.items.map(({ index }) => index))).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7,
    ])
    expect(bodiesOf(given)).toEqual([
      ['P0', 'P1', 'P2'],
      ['P3', 'P4', 'P5'],
      ['P6', 'P7'],
    ])
    for (const { line, body } of given.server.asked) {
      expect(line).toBe('PUT /api/v2/Products/bulk-upsert')
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(2_000_000)
    }
  })

  test('When one alone is too large or cannot be written, then it fails, and the others go', async () => {
    await using given = await givenAnswer({ body: { created: 0, updated: 2 } })
    const products = [
      { extId: 'A' },
      { extId: 'Huge', description: 'x'.repeat(2_000_000) },
      { extId: 'Comma', price: '1,50' },
      { extId: 'B' },
    ]
    const [part] = await all(given.platform.products.bulkUpsert(products))
    expect(part?.items.map(({ index, extId, status }) => [index, extId, status])).toEqual([
      [0, 'A', 'updated'],
      [1, 'Huge', 'failed'],
      [2, 'Comma', 'failed'],
      [3, 'B', 'updated'],
    ])
    expect(part?.items[1]?.errors.product).toMatch(/^It is 20000\d\d bytes, and a request may be 2000000\./)
    expect(part?.items[2]?.errors.product).toContain('product 3: the price cannot be sent')
    expect(bodiesOf(given)).toEqual([['A', 'B']])
  })
})

describe('what the platform answers to many products', () => {
  test('When it refuses some within a 200, then these failed with their errors by field, and are not sent again', async () => {
    await using given = await givenPlatform()
    const errors = { SizeSystem: 'There is none.', 'GTIN 0701': 'It is taken.' }
    given.server.play({ body: { created: 1, updated: 0, unprocessedProducts: [refused('B', errors)] } })
    const [part] = await all(given.platform.products.bulkUpsert(two))
    expect(part?.items).toEqual([
      { index: 0, extId: 'A', status: 'created', errors: {}, retry: false },
      { index: 1, extId: 'B', status: 'failed', errors, retry: false },
    ])
    expect(given.server.asked).toHaveLength(1)
  })

  test('When it refuses one that cannot be told from its answer, then that is kept, and nobody is called created', async () => {
    await using given = await givenAnswer({
      body: { created: 2, unprocessedProducts: [refused(null, { Name: 'It is missing.' })] },
    })
    const [part] = await all(given.platform.products.bulkInsert(two))
    expect(part?.unmatched).toEqual([{ Name: 'It is missing.' }])
    expect(statusesOf(part)).toEqual(['accepted', 'accepted'])
  })

  test.each([
    ['a list of messages', { Name: ['It is missing.', 'It is short.'] }, { Name: 'It is missing. It is short.' }],
    ['only a text', 'It is taken.', { product: 'It is taken.' }],
    ['nothing', undefined, { product: 'It was refused without a reason.' }],
  ])('When it says why with %s, then that is read', async (_, errors, read) => {
    await using given = await givenAnswer({
      body: [{ created: 0, unprocessedProducts: [refused('A', errors), refused('B', errors)] }],
    })
    const [part] = await all(given.platform.products.bulkInsert(two))
    expect(part?.items).toMatchObject([
      { status: 'failed', errors: read },
      { status: 'failed', errors: read },
    ])
  })

  test.each([
    ['bulkInsert', { created: 2 }, 'created'],
    ['bulkInsert', { Created: '2' }, 'created'],
    ['bulkInsert', { created: 0 }, 'ignored'],
    ['bulkInsert', { created: 1 }, 'accepted'],
    ['bulkInsert', 'Ok', 'accepted'],
    ['bulkUpsert', { created: 0, updated: 2 }, 'updated'],
    ['bulkUpsert', { created: 1, updated: 1 }, 'accepted'],
    ['bulkUpsert', [{ created: 2, updated: 0 }], 'created'],
  ] as const)('When %s of two is answered with %j, then they are %s', async (call, body, status) => {
    await using given = await givenAnswer({ body })
    const [part] = await all(given.platform.products[call](two))
    expect(statusesOf(part)).toEqual([status, status])
  })
})

describe('when a request with many products fails', () => {
  test.each([{ status: 429 }, { status: 500 }, { status: 503 }, 'cut' as const])(
    'When it is %j once, then the same products are sent again, and then the others',
    async (reply) => {
      await using given = await givenAnswer([{ body: { created: 1 } }, reply, { body: { created: 1 } }])
      const large = { description: 'x'.repeat(1_500_000) }
      const parts = await all(given.platform.products.bulkInsert(two.map((one) => ({ ...one, ...large }))))
      expect(parts.flatMap(statusesOf)).toEqual(['created', 'created'])
      expect(bodiesOf(given)).toEqual([['A'], ['B'], ['B']])
    },
  )

  test('When it fails on and on, and others may pass, then its products are to be sent again later', async () => {
    await using given = await givenAnswer({ status: 500 })
    const [part] = await all(given.platform.products.bulkInsert(two))
    expect(part?.items).toMatchObject([
      { extId: 'A', status: 'failed', retry: true },
      { extId: 'B', status: 'failed', retry: true },
    ])
    expect(given.server.asked).toHaveLength(3)
  })

  test.each([
    [{ status: 503 }, 'RetryLaterError'],
    ['cut' as const, 'UnknownOutcomeError'],
  ])('When it is %j on and on, then it stops there with the error', async (reply, name) => {
    await using given = await givenAnswer(reply)
    expect(await failureOf(all(given.platform.products.bulkInsert(two)))).toMatchObject({ name })
    expect(given.server.asked).toHaveLength(3)
  })

  test('When the body is refused, then its products failed, and the next request goes', async () => {
    await using given = await givenAnswer([
      { status: 400, body: { errors: { name: ['It is missing.'] } } },
      { body: { created: 1 } },
    ])
    const large = { description: 'x'.repeat(1_500_000) }
    const parts = await all(given.platform.products.bulkInsert(two.map((one) => ({ ...one, ...large }))))
    expect(parts.flatMap(({ items }) => items)).toMatchObject([
      { status: 'failed', retry: false, errors: { product: expect.stringMatching(/; it names name$/) } },
      { status: 'created' },
    ])
  })
})

function all(parts: AsyncIterable<BulkPart>): Promise<BulkPart[]> {
  return Array.fromAsync(parts)
}

function statusesOf(part: BulkPart | undefined): BulkItem['status'][] {
  return part?.items.map(({ status }) => status) ?? []
}

function bodiesOf({ server }: Given): string[][] {
  return server.asked.map(({ body }) => (JSON.parse(body) as { extId: string }[]).map(({ extId }) => extId))
}
