import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import type { LevelPage } from '../../src/adapters/adapter.ts'
import woocommerce from '../../src/adapters/woocommerce/woocommerce.ts'
import { type Shop, type ShopOptions, startShop } from '../../src/sandbox/shop/shop.ts'
import { startHttpPeer } from './http-peer.ts'
import { KEY } from './woocommerce-shop.ts'

const signal = new AbortController().signal

/** The adapter, and what it reads of a shop. */
function reader(url: string) {
  const options = woocommerce.options.parse({ url, ...KEY })
  const instance = woocommerce.create(options, { destination: 'shop', timeout: 5_000, concurrency: 2 })
  const read = instance.ports.stock?.readLevels
  if (!read) throw new Error('The adapter reads no levels.')
  return { read, [Symbol.asyncDispose]: () => instance[Symbol.asyncDispose]() }
}

async function startReading(products: ShopOptions['products']) {
  const shop = await startShop({ ...KEY, products: products ?? [] })
  const { read, ...instance } = reader(shop.url)
  return {
    shop,
    read,
    async [Symbol.asyncDispose]() {
      await instance[Symbol.asyncDispose]()
      await shop[Symbol.asyncDispose]()
    },
  }
}

type Read = ReturnType<typeof reader>['read']

async function allPages(read: Read): Promise<LevelPage[]> {
  const pages: LevelPage[] = []
  for (let page: string | null = null; ; ) {
    const read_ = await read('anything', page, { signal })
    pages.push(read_)
    if (read_.next === null) return pages
    page = read_.next
  }
}

const namesOf = (pages: LevelPage[]) => pages.map(({ next }) => next)
const levelsOf = (pages: LevelPage[]) => pages.flatMap(({ levels }) => levels)

test('When a shop is read, then products and variations that it counts come, exactly as it says', async () => {
  await using it = await startReading([
    { name: 'T-shirt', sku: ' TEE ', globalUniqueId: '7090012340011', price: '349', stock: 5 },
    { name: 'Cap', sku: '7090012340028', price: '199', stock: 0 },
    { name: 'Ribbon by the metre', globalUniqueId: '7090012340097', price: '10', stock: 2.125 },
    { name: 'Sold before it came', sku: 'LATE', price: '10', stock: -3 },
    {
      name: 'Jacket',
      sku: 'JACKET',
      globalUniqueId: '7090012340059',
      price: '1200',
      variations: [
        { name: 'L', sku: 'JACKET-L', globalUniqueId: '7090012340035', stock: 7 },
        { name: 'M', sku: 'JACKET-M', stock: 1 },
      ],
    },
  ])
  expect(await allPages(it.read)).toEqual([
    {
      levels: [
        { gtin: '7090012340011', sku: 'TEE', level: '5' },
        { gtin: null, sku: '7090012340028', level: '0' },
        { gtin: '7090012340097', sku: null, level: '2.125' },
        { gtin: null, sku: 'LATE', level: '-3' },
        { gtin: '7090012340035', sku: 'JACKET-L', level: '7' },
        { gtin: null, sku: 'JACKET-M', level: '1' },
      ],
      next: null,
    },
  ])
})

test('When goods are not counted, or by nothing that tells them apart, then they are left out', async () => {
  await using it = await startReading([
    { name: 'Not counted', sku: 'GLOVES', price: '1' },
    { name: 'Without a name of its own', price: '1', stock: 4 },
    {
      name: 'Counted in one for all sizes',
      sku: 'SHARED',
      price: '1',
      stock: 9,
      variations: [{ name: 'S', sku: 'SHARED-S' }],
    },
    {
      name: 'Sizes without a SKU show that of their product',
      sku: 'PARENT',
      price: '1',
      variations: [{ name: 'S', stock: 2 }, { name: 'M', sku: 'PARENT-M', stock: 3 }],
    },
    { name: 'No size yet', sku: 'EMPTY', price: '1', stock: 1, variations: [] },
  ])
  expect(levelsOf(await allPages(it.read))).toEqual([{ gtin: null, sku: 'PARENT-M', level: '3' }])
})

test('When there are more than a page, then all come once, the variations of a few products at a time', async () => {
  const goods = Array.from({ length: 230 }, (_, index) => {
    const product = { name: `No. ${index}`, sku: `S-${index}`, price: '1' }
    // Every fifth has sizes, twenty of a hundred; one has more of them than a page.
    if (index % 5 !== 0) return { ...product, stock: index }
    const sizes = Array.from({ length: index === 115 ? 120 : 1 }, (_, size) => ({ sku: `S-${index}-${size}`, stock: index }))
    return { ...product, variations: sizes }
  })
  await using it = await startReading(goods)
  const pages = await allPages(it.read)
  expect(namesOf(pages)).toEqual([
    expect.stringMatching(/^1\/\d+$/),
    '2',
    expect.stringMatching(/^2\/\d+$/),
    '3',
    null,
  ])
  const expected = goods.flatMap((one) =>
    'variations' in one ? one.variations.map(({ sku, stock }) => `${sku}: ${stock}`) : `${one.sku}: ${one.stock}`,
  )
  const read = levelsOf(pages).map(({ sku, level }) => `${sku}: ${level}`)
  expect(read.toSorted()).toEqual(expected.toSorted())
})

test('When a level is told, then it is read', async () => {
  await using it = await startReading([{ id: 11, name: 'T-shirt', sku: 'TEE', price: '349' }])
  expect(levelsOf(await allPages(it.read))).toEqual([])
  await tell(it.shop, 11, 6)
  expect(levelsOf(await allPages(it.read))).toEqual([{ gtin: null, sku: 'TEE', level: '6' }])
})

describe('a page that cannot be read', () => {
  test.each([
    ['error-503', { name: 'RetryLaterError', scope: 'destination' }],
    ['error-500-before', { name: 'RetryLaterError', code: 'http-500' }],
    ['drop-before', { name: 'RetryLaterError' }],
    ['half-answer', { name: 'RetryLaterError' }],
  ] as const)('When the shop plays %s, then it throws, and the same page can be read later', async (fault, expected) => {
    await using it = await startReading([{ name: 'T-shirt', sku: 'TEE', price: '349', stock: 5 }])
    it.shop.faults.next(fault)
    await expect(it.read('anything', null, { signal })).rejects.toMatchObject(expected)
    expect(levelsOf(await allPages(it.read))).toHaveLength(1)
  })

  test('When it fails at the variations, then nothing of the page is given', async () => {
    await using it = await startReading([
      { name: 'T-shirt', sku: 'TEE', price: '349', stock: 5 },
      { name: 'Jacket', sku: 'JACKET', price: '1', variations: [{ sku: 'JACKET-L', stock: 1 }] },
    ])
    await using peer = await startHttpPeer()
    const product = { id: 1, type: 'variable', sku: 'JACKET', manage_stock: false, stock_quantity: null }
    peer.play({ status: 200, body: JSON.stringify([product]) })
    await using other = reader(peer.address)
    // The same answer for its variations: what is no variation's is refused, or read as what it is.
    await expect(other.read('anything', null, { signal })).resolves.toEqual({ levels: [], next: null })
    const broken = new AbortController()
    const reading = it.read('anything', null, { signal: broken.signal })
    broken.abort()
    await expect(reading).rejects.toMatchObject({ name: 'RetryLaterError' })
  })
})

async function tell(shop: Shop, id: number, level: number): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${KEY.consumerKey}:${KEY.consumerSecret}`).toString('base64')}`
  const headers = { authorization, 'content-type': 'application/json', connection: 'close' }
  const body = JSON.stringify({ update: [{ id, manage_stock: true, stock_quantity: level }] })
  await (await request(`${shop.url}/wp-json/wc/v3/products/batch`, { method: 'POST', headers, body })).body.dump()
}
