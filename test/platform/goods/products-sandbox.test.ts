import { expect, test } from 'vitest'
import { startPlatform } from '../../../sandbox/platform/platform.ts'
import { createPlatform } from '../../../src/platform/create-platform.ts'

/* The client and the sandbox were written apart: they check each other. */

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const SHOE = { name: 'Shoe', brand: 'Brand', groupName: 'Shoes', season: 'BASIC', color: 'Red' }
const OWN_SIZES = { createProductSpecificSize: true }

test.each(['spec', 'frontsystems-v2'] as const)(
  'When products are written to the sandbox by %s, then they are found there as they were sent',
  async (preset) => {
    await using sandbox = await startPlatform(KEYS)
    await using platform = createPlatform({ preset, baseUrl: sandbox.url, ...KEYS })
    const { products } = platform

    const sizes = [{ gtin: '7000000000011', label: 'M' }]
    const product = { extId: 'Shoe red', ...SHOE, ...OWN_SIZES, price: '10.50', productSizes: sizes }
    const saved = await products.save(product)
    expect(saved?.sizes).toMatchObject([{ identity: expect.any(String), ...sizes[0] }])
    expect(await products.save(product)).toMatchObject({ productId: saved?.productId })

    await products.update({ extId: 'Shoe red' }, { description: 'Warm' })
    await products.update({ productId: saved?.productId ?? '' }, { images: ['https://img.example/1.jpg'] })
    const found = await products.byGtin('7000000000011')
    expect(found).toMatchObject({ productId: saved?.productId, price: '10.5', description: 'Warm' })
    expect(found?.record.images).toEqual(['https://img.example/1.jpg'])
    expect(await products.byGtin('7999999999999')).toBeNull()
  },
)

test('When many are written to the sandbox, then each is there once, over all pages of a search', async () => {
  await using sandbox = await startPlatform(KEYS)
  await using platform = createPlatform({ preset: 'spec', baseUrl: sandbox.url, ...KEYS })
  const { products } = platform
  const before = await Array.fromAsync(products.search())
  const many = Array.from({ length: 25 }, (_, index) => ({
    extId: `N-${index}`,
    ...SHOE,
    ...OWN_SIZES,
    number: `${index}`,
  }))

  const [inserted] = await Array.fromAsync(products.bulkInsert(many))
  expect(inserted).toMatchObject({ created: 25, unmatched: [] })
  const [again] = await Array.fromAsync(products.bulkInsert(many))
  expect(again?.items.every(({ status }) => status === 'ignored')).toBe(true)
  const [upserted] = await Array.fromAsync(products.bulkUpsert([...many, { extId: 'N-new', ...SHOE, ...OWN_SIZES }]))
  expect(upserted).toMatchObject({ created: 1, updated: 25 })

  const after = await Array.fromAsync(products.search({ pageSize: 7 }))
  expect(after).toHaveLength(before.length + 26)
  expect(new Set(after.map(({ productId }) => productId)).size).toBe(after.length)
})
