import { describe, expect, test } from 'vitest'
import { type ShopOptions, startShop } from '../../../sandbox/shop/shop.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import type { LevelPage, StockLevel } from '../../../src/ports/ports.ts'
import { attempt } from '../../../test/adapters/contract.ts'
import { startHttpPeer } from '../../../test/adapters/http-peer.ts'
import { eventually } from '../../../test/eventually.ts'
import { orderUpdate, stockMovement } from '../../../test/fixtures/payloads.ts'
import { startTestHub } from '../../../test/hub.ts'
import { listen } from '../../../test/listen.ts'
import { adapterAt, askShop, type ConnectedShop, GTIN, KEY, place, startConnected } from './kit.ts'

const SHIRT = { sku: 'TEE-BLK-M', gtin: '7090012340011' }

function levelOf(article: Partial<StockLevel>, level: string | number): StockLevel {
  return { location: 'shop', sku: null, gtin: '0', ...article, level: parseDecimal(level) }
}

async function setLevels(it: ConnectedShop, levels: StockLevel[]) {
  return await it.ports.stock.setLevels?.(levels.map((argument) => ({ argument, attempt: attempt() })))
}

const stockOf = (it: ConnectedShop, id: number) => it.shop.products().find((product) => product.id === id)?.stock

test('a variation that the shop does not count by itself is left as it is, with a note, unless config takes it over', async () => {
  const jacket = { name: 'Jacket', sku: 'JACKET', price: '1200' }
  const large = { id: 21, name: 'L', sku: 'JACKET-L', globalUniqueId: '7090012340035' }
  const small = { id: 22, name: 'S', sku: 'JACKET-S', globalUniqueId: '7090012340059', stock: 4 }
  for (const [counted, manage_stock] of [
    [{ stock: 9 }, 'parent'],
    [{}, false],
  ] as const) {
    const products = [{ ...jacket, id: 20, ...counted, variations: [large, small] }]
    await using it = await startConnected({}, { products })
    const levels = [levelOf({ gtin: large.globalUniqueId }, 0), levelOf({ gtin: small.globalUniqueId }, 3)]
    expect(await setLevels(it, levels)).toEqual([
      {
        note: expect.stringMatching(/^product 21: a variation that the shop does not count by itself.*countVariations/),
      },
      { note: 'product 22: 3' },
    ])
    expect([20, 21, 22].map((id) => stockOf(it, id))).toEqual([counted.stock ?? null, null, 3])
    expect(await askShop(it.shop, 'GET', '/products/21')).toMatchObject({ manage_stock, stock_status: 'instock' })
    await using taking = await startConnected({ countVariations: true }, { products })
    expect(await setLevels(taking, levels)).toEqual([{ note: 'product 21: 0' }, { note: 'product 22: 3' }])
  }
})

test('When levels of products and variations are told, then each has its own, also where nobody counted before', async () => {
  await using it = await startConnected({ countVariations: true })
  const results = await setLevels(it, [
    levelOf(SHIRT, 7),
    levelOf({ gtin: '7090012340028' }, 3),
    levelOf({ gtin: '7090012340035' }, 2),
  ])
  expect(results).toEqual([{ note: 'product 11: 7' }, { note: 'product 12: 3' }, { note: 'product 21: 2' }])
  expect([11, 12, 21].map((id) => stockOf(it, id))).toEqual([7, 3, 2])
})

test('When a level has a fraction or is below zero, then the shop has whole pieces, and never less than none', async () => {
  await using it = await startConnected()
  for (const [reported, kept] of [
    ['3.9', 3],
    ['-2', 0],
    ['-0.5', 0],
  ] as const) {
    await setLevels(it, [levelOf(SHIRT, reported)])
    expect(stockOf(it, 11)).toBe(kept)
  }
})

test('When an article is told twice in a batch, then the later level counts', async () => {
  await using it = await startConnected()
  await setLevels(it, [levelOf(SHIRT, 9), levelOf({ gtin: SHIRT.gtin }, 4)])
  expect(stockOf(it, 11)).toBe(4)
})

test('When there are more than a hundred, then each is written', async () => {
  const many = Array.from({ length: 130 }, (_, index) => ({ name: `Sock ${index}`, sku: `S-${index}`, price: '1' }))
  await using it = await startConnected({}, { products: many })
  const results = await setLevels(
    it,
    many.map(({ sku }, index) => levelOf({ sku }, index)),
  )
  expect(results?.every((result) => !(result instanceof Error))).toBe(true)
  expect(it.shop.products().map(({ stock }) => stock)).toEqual(many.map((_, index) => index))
})

test('When one of two requests fails, then only what was in it is tried again', async () => {
  await using it = await startConnected({ countVariations: true })
  it.shop.faults.next('drop-before', { method: 'POST' })
  const results = await setLevels(it, [levelOf(SHIRT, 7), levelOf({ gtin: '7090012340035' }, 2)])
  expect(results).toEqual([expect.objectContaining({ name: 'UnknownOutcomeError' }), { note: 'product 21: 2' }])
})

test('When the shop manages no stock, then a level that it takes and does not keep is not delivered, and says which switch', async () => {
  await using it = await startConnected({}, { managesStock: false })
  const [end] = (await setLevels(it, [levelOf(SHIRT, 7)])) ?? []
  expect(end).toMatchObject({ code: 'level-not-kept', message: expect.stringContaining('Enable stock management') })
})

const signal = new AbortController().signal

/** The adapter, and what it reads of a shop. */
function reader(url: string) {
  const instance = adapterAt(url)
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
    const got = await read('anything', page, { signal })
    pages.push(got)
    if (got.next === null) return pages
    page = got.next
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
      variations: [
        { name: 'S', stock: 2 },
        { name: 'M', sku: 'PARENT-M', stock: 3 },
      ],
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
    const sizes = Array.from({ length: index === 115 ? 120 : 1 }, (_, size) => ({
      sku: `S-${index}-${size}`,
      stock: index,
    }))
    return { ...product, variations: sizes }
  })
  await using it = await startReading(goods)
  const pages = await allPages(it.read)
  expect(namesOf(pages)).toEqual([expect.stringMatching(/^1\/\d+$/), '2', expect.stringMatching(/^2\/\d+$/), '3', null])
  const expected = goods.flatMap((one) =>
    'variations' in one ? one.variations.map(({ sku, stock }) => `${sku}: ${stock}`) : `${one.sku}: ${one.stock}`,
  )
  const read = levelsOf(pages).map(({ sku, level }) => `${sku}: ${level}`)
  expect(read.toSorted()).toEqual(expected.toSorted())
})

describe('a page that cannot be read', () => {
  for (const [fault, expected] of [
    ['error-503', { name: 'RetryLaterError', scope: 'destination' }],
    ['error-500-before', { name: 'RetryLaterError', code: 'http-500' }],
    ['drop-before', { name: 'RetryLaterError' }],
    ['half-answer', { name: 'RetryLaterError' }],
  ] as const)
    test(`When the shop plays ${fault}, then it throws, and the same page can be read later`, async () => {
      await using it = await startReading([{ name: 'T-shirt', sku: 'TEE', price: '349', stock: 5 }])
      it.shop.faults.next(fault)
      await expect(it.read('anything', null, { signal })).rejects.toMatchObject(expected)
      expect(levelsOf(await allPages(it.read))).toHaveLength(1)
    })

  const TEE = { id: 1, type: 'simple', sku: 'TEE', manage_stock: true, stock_quantity: '1.50' }
  const { manage_stock: _, ...TEE_UNSAID } = TEE
  const JACKET = { ...TEE, id: 2, type: 'variable' }

  test.each<[string, unknown, unknown, object]>([
    ['a page of a firewall', '<html>', [], { name: 'RetryLaterError', code: 'unreadable-answer' }],
    ['of something else', [{ name: 'Kari' }], [], { code: 'unreadable-answer' }],
    ['products, and no variations', [TEE, JACKET], '<html>', { code: 'unreadable-answer' }],
  ])('When the answer is %s, then nothing of it is given', async (_, products, variations, expected) => {
    await using peer = await startAnswering({ products, variations })
    await using it = reader(peer.url)
    await expect(it.read('anything', null, { signal })).rejects.toMatchObject(expected)
  })

  test.each<[string, object]>([
    ['does not say whether it counts', TEE_UNSAID],
    ['has a level that is no number', { ...TEE, stock_quantity: 'many' }],
  ])('When the only product of a page %s, then it is named, and the pages behind it are read', async (_, product) => {
    await using peer = await startAnswering({ products: [product], variations: [] })
    await using it = reader(peer.url)
    expect(await it.read('anything', null, { signal })).toEqual({ levels: [], next: null, unread: ['TEE'] })
  })

  test('When no header says how many pages there are, then one that is not full is the last', async () => {
    await using peer = await startAnswering({ products: [TEE, JACKET], variations: [{ ...TEE, sku: 'TEE-L' }] })
    await using it = reader(peer.url)
    expect(await it.read('anything', null, { signal })).toEqual({
      levels: [
        { gtin: null, sku: 'TEE', level: '1.5' },
        { gtin: null, sku: 'TEE-L', level: '1.5' },
      ],
      next: null,
    })
  })
})

/** A shop that gives the same products and the same variations to whoever asks. */
async function startAnswering(given: { products: unknown; variations: unknown; asked?: () => void }) {
  const asked: string[] = []
  const server = await listen((request, response) => {
    asked.push(request.url ?? '')
    given.asked?.()
    const answer = request.url?.includes('/variations') ? given.variations : given.products
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  return {
    ...server,
    asked,
  }
}

test('When a plugin says the stock of one product in words, then the others count, and it is named', async () => {
  const product = (id: number, stock_quantity: unknown) => ({
    ...{ id, type: 'simple', sku: `SKU-${id}`, global_unique_id: '', manage_stock: true, stock_quantity },
  })
  await using peer = await startHttpPeer()
  peer.play({ status: 200, body: JSON.stringify([product(1, 4), product(2, 'on request'), product(3, 0)]) })
  await using it = reader(peer.address)
  expect(await it.read('anything', null, { signal })).toEqual({
    levels: [
      { gtin: null, sku: 'SKU-1', level: '4' },
      { gtin: null, sku: 'SKU-3', level: '0' },
    ],
    next: null,
    unread: ['SKU-2'],
  })
})

/** A shop that sells from the stock of a store, and is told its levels; three shirts were ordered there. */
async function open(written: object = {}, order: object = {}) {
  await using opened = new AsyncDisposableStack()
  const products = [{ id: 11, name: 'T-shirt', sku: 'TEE', globalUniqueId: GTIN, price: '100', stock: 20 }]
  const shop = opened.use(await startShop({ ...KEY, products }))
  const hub = opened.use(
    await startTestHub({
      destinations: {
        shop: { adapter: 'woocommerce', url: shop.url, ...KEY, channels: { web: { stocks: ['12'] } }, ...written },
      },
      config: { mirror: 'stock' },
    }),
  )
  let movementId = 1_000
  const stock = () => shop.products().find(({ id }) => id === 11)?.stock
  const number = await place(shop, order)
  const it = {
    shop,
    hub,
    number,
    stock,
    /** The platform says how many there are, and the shop hears of it. */
    async level(level: number) {
      movementId += 1
      await hub.post('StockMovementCreated', stockMovement({ movementId, gtin: GTIN, sku: 'TEE', stockLevel: level }))
      await eventually(() => expect(stock()).toBe(level))
    },
    status: () => shop.orders().find((one) => one.number === number)?.status,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
  const all = opened.move()
  return it
}

const line = { gtin: GTIN, rowId: '1' }

test('When an order expires of which the platform has let the goods go before, then the shop has them once', async () => {
  await using it = await open()
  await it.level(17)
  await it.level(20)
  const orderLines = [{ ...line, quantity: 3, status: 'Picked' }]
  await it.hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: it.number, status: 'Expired', orderLines }))
  await eventually(() => expect(it.status()).toBe('cancelled'))
  await eventually(() => expect(it.stock()).toBe(20))
})

test('When a store declines goods that are not paid yet, and its count is right already, then the shop has no more of them', async () => {
  await using it = await open({}, { payment_method: 'cod', set_paid: false, status: 'processing' })
  await it.level(0)
  const orderLines = [{ ...line, quantity: 3, status: 'Declined' }]
  await it.hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: it.number, status: 'Rejected', orderLines }))
  await eventually(() => expect(it.status()).toBe('cancelled'))
  await eventually(() => expect(it.stock()).toBe(0))
})

test('When refunded goods go back into the stock of the shop too, then the level of the store is what counts', async () => {
  await using it = await open({ restock: true })
  await it.level(5)
  const orderLines = [{ ...line, quantity: 2, status: 'Declined' }]
  await it.hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: it.number, orderLines }))
  await eventually(() => expect(it.shop.orders()[0]?.refunds).toHaveLength(1))
  await eventually(() => expect(it.stock()).toBe(5))
})
