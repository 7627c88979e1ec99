import { describe, expect, test } from 'vitest'
import {
  contradiction,
  givenNameOf,
  isVerifiable,
  type ProductAssertion,
  priceAssertions,
  productAssertions,
  type ReadProduct,
} from '../../src/domain/catalogue/master-data.ts'
import type { MirrorChange, MirrorFilter, StoredMirrorRow } from '../../src/domain/catalogue/mirror.ts'
import { parseDecimal } from '../../src/domain/values/money.ts'
import { ownLists, ProductsState, planReading, readProduct, retailLists } from '../../src/jobs/products/products.ts'
import {
  createFinder,
  createWalk,
  firstState,
  judge,
  keepDated,
  type ProductName,
} from '../../src/jobs/read-back/read-back.ts'
import type { PlatformStore } from '../../src/platform/platform.ts'
import type { Product } from '../../src/platform/resources/products.ts'
import type { DeliveryFilter, DeliveryRow, StoredStore } from '../../src/storage/rows.ts'
import { DAY, HOUR, MINUTE } from './kit.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const signal = new AbortController().signal

function memoryMirror(products: readonly ReadProduct[] = []) {
  const rows = new Map<string, StoredMirrorRow>()
  const put = (row: Omit<StoredMirrorRow, 'id' | 'savedAt'>) =>
    rows.set(`${row.set} ${row.key}`, { ...row, id: rows.size + 1, savedAt: 0 })
  for (const product of products)
    put({
      set: 'products',
      key: product.productId,
      article: product.extId,
      body: { ...product },
      place: null,
      day: '',
      part: null,
      version: 1,
      tie: 0,
    })
  return {
    links: async () => [],
    mirrorRows: async (set: string, keys: readonly string[]) => keys.flatMap((key) => rows.get(`${set} ${key}`) ?? []),
    mirrorPage: async ({ set, article, part }: MirrorFilter, after: object | null) =>
      after !== null
        ? []
        : [...rows.values()].filter(
            (row) =>
              row.set === set &&
              (article === undefined || row.article === article) &&
              (part === undefined || row.part === part),
          ),
    async saveMirror(changes: readonly MirrorChange[]) {
      for (const change of changes) {
        if (change.type === 'put') put(change.row)
        else {
          for (const [key, row] of rows) if (row.set === change.set && row.part === change.part) rows.delete(key)
          for (const row of change.rows) put(row)
        }
      }
    },
  }
}

function product(productId: string, more: Partial<ReadProduct> = {}): ReadProduct {
  const size = { identity: null, gtin: `709${productId}`, otherGtins: [], label: 'M', externalSKU: null, prices: null }
  return { ...readProduct(wire({ productId, sizes: [size] })), ...more }
}

function wire(more: Partial<Product>): Product {
  const reported = {
    productId: '1',
    extId: null,
    name: 'Rain jacket',
    number: '4000',
    variant: 'BLUE',
    groupName: 'Jackets',
    subgroupName: null,
    color: 'Blue',
    season: 'AW26',
    brand: 'Fjell',
    price: null,
    cost: null,
    description: null,
    isWebAvailable: null,
    isDiscontinued: null,
    updated: null,
    sizes: [],
    ...more,
  }
  return { record: { ...reported, productSizes: reported.sizes }, ...reported }
}

describe('what was read of a product', () => {
  const price = (list: string, amount: number) => ({ list, listId: list, currency: 'NOK', price: parseDecimal(amount) })
  const size = (gtin: string, ...prices: ReturnType<typeof price>[]) => ({
    identity: null,
    gtin,
    otherGtins: [],
    label: 'M',
    externalSKU: null,
    prices,
  })

  test('when an answer has no field for something, then that is not told, which is not empty', () => {
    const { record } = wire({ sizes: [size('1')], brand: null })
    const { season: _, ...less } = record
    const sizes = [{ ...size('1'), externalSKU: undefined, label: undefined }]
    const withoutSku = {
      ...less,
      productSizes: sizes.map(({ externalSKU: _sku, ...rest }) => ({ ...rest, label: '' })),
    }
    const read = readProduct(wire({ sizes: [size('1')], record: withoutSku }))
    expect(read.unknown).toEqual(['season', 'sku'])
    const said = productAssertions({
      extId: 'A',
      season: 'AW26',
      brand: 'Fjell',
      productSizes: [{ gtin: '1', externalSKU: 'S' }],
    })
    expect(said.filter((one) => !isVerifiable(one, read)).map(givenNameOf)).toEqual(['season', 'sku of 1'])
  })

  test('when a size has further GTINs, then each of them is the size', () => {
    const read = readProduct(wire({ sizes: [{ ...size('1'), otherGtins: ['3', '2'] }] }))
    expect(read.sizes).toEqual([{ gtin: '1', otherGtins: ['2', '3'], sku: null, label: 'M' }])
    const said = productAssertions({ extId: 'A', productSizes: [{ gtin: '2', label: 'M' }, { gtin: '4' }] })
    expect(said.map((one) => [givenNameOf(one), contradiction(one, read)])).toEqual([
      ['size 2', null],
      ['label of 2', null],
      ['size 4', { read: null }],
    ])
  })
})

describe('which product is meant', () => {
  const name = (more: Partial<ProductName>): ProductName => ({
    extId: null,
    productId: null,
    gtins: [],
    number: null,
    variant: null,
    ...more,
  })

  function finderOf(products: readonly ReadProduct[], answers: Record<string, string> = {}) {
    const storage = memoryMirror(products)
    const asked: string[] = []
    const byExtId = async (extId: string) => {
      asked.push(extId)
      return answers[extId] === undefined ? null : wire({ extId, productId: answers[extId] })
    }
    return {
      storage,
      asked,
      find: createFinder({ platform: { products: { byExtId } }, storage, clock: { now: () => NOW } }),
    }
  }

  test('when a GTIN tells it, then its extId is kept, and it is found by that from then on', async () => {
    const { storage, asked, find } = finderOf([product('60001'), product('60002')])
    const jacket = name({ extId: '4000-BLUE', gtins: ['70960002'], number: '4000' })
    expect((await find([jacket], signal)).get(jacket)).toMatchObject({ productId: '60002', extId: '4000-BLUE' })
    expect(await storage.mirrorPage({ set: 'products', article: '4000-BLUE' }, null)).toMatchObject([{ key: '60002' }])
    const price = name({ extId: '4000-BLUE' })
    expect((await find([price], signal)).get(price)).toMatchObject({ productId: '60002' })
    expect(asked).toEqual([])
  })

  test('when its GTIN stands at another product, then that is not it: the platform is asked', async () => {
    const { asked, find } = finderOf([product('60001'), product('60002', { number: '4001' })], { '4001-RED': '60002' })
    const other = name({ extId: '4001-RED', gtins: ['70960001'], number: '4001', variant: 'BLUE' })
    expect((await find([other], signal)).get(other)).toMatchObject({ productId: '60002' })
    expect(asked).toEqual(['4001-RED'])
  })

  test('when it was deleted, or is in no list, then it is not there', async () => {
    const { find } = finderOf([product('60001', { extId: 'A', isDeleted: true })], { B: '60009' })
    const names = [name({ extId: 'A' }), name({ extId: 'B' }), name({ gtins: ['1'] }), name({ productId: '60009' })]
    const found = await find(names, signal)
    expect(names.map((one) => found.get(one))).toEqual([null, null, null, null])
  })
})

describe('a price', () => {
  const LIST = 'Retail NO'
  const priced = (amount: number) =>
    product('60001', {
      prices: [{ list: LIST, listId: null, currency: 'NOK', price: parseDecimal(amount), gtin: null }],
    })
  const [base] = priceAssertions({ list: LIST, productExtId: 'A', price: '349' }) as [ProductAssertion]

  test('when the platform tells the price of a campaign that was submitted, then the ordinary one is no difference', async () => {
    const storage = memoryMirror()
    const campaign = { list: LIST, price: '249.00', from: NOW - HOUR, to: NOW + HOUR }
    await keepDated(storage, campaign, '60001', NOW)
    expect(await judge(storage, base, priced(249), NOW)).toBeNull()
    expect(await judge(storage, base, priced(199), NOW)).toEqual({ read: '199' })
    expect(await judge(storage, base, priced(249), NOW + 2 * HOUR)).toEqual({ read: '249' })
    await keepDated(storage, { ...campaign, price: '149', from: NOW + DAY, to: Infinity }, '60001', NOW + 2 * HOUR)
    expect(await storage.mirrorPage({ set: 'dated-prices' }, null)).toMatchObject([
      { body: { price: '149', to: null } },
    ])
  })
})

describe('which deliveries are due', () => {
  const KNOWN: ProductsState = { ...ProductsState.parse(null), full: NOW, readAt: NOW, pricesAt: NOW - HOUR }

  function walkOf(rows: readonly Partial<DeliveryRow>[], state = firstState(NOW), products = KNOWN) {
    const all = rows.map((row, index) => ({
      id: index + 1,
      destination: 'platform',
      flow: 'save-products',
      state: 'delivered',
      settledAt: NOW - 15 * MINUTE,
      ...row,
    })) as DeliveryRow[]
    const deliveries = async ({ id, before = Infinity, limit = 50 }: DeliveryFilter) =>
      all
        .filter((row) => (id === undefined || row.id === id) && row.id < before)
        .reverse()
        .slice(0, limit)
    return createWalk({ storage: { deliveries }, state, products, settles: 15 * MINUTE, now: NOW })
  }

  async function dueOf(walk: ReturnType<typeof walkOf>, most = 100): Promise<number[]> {
    return (await walk.next(most, signal)).map(({ id }) => id)
  }

  test('when one was acknowledged long enough ago, then it is; others wait, and what says nothing is passed by', async () => {
    const walk = walkOf([
      {},
      { settledAt: NOW - 14 * MINUTE },
      { flow: 'save-prices' },
      { flow: 'save-prices', settledAt: NOW - 2 * HOUR },
      { state: 'waiting', settledAt: null },
      { state: 'dead' },
      { state: 'dead', settledAt: NOW - 8 * DAY },
      { state: 'superseded' },
      { flow: 'save-costs' },
      { destination: 'bus' },
      { settledAt: NOW - 2 * DAY },
      { id: 3_500 },
    ])
    expect(await dueOf(walk)).toEqual([1, 4, 3_500])
    const left = walk.state()
    expect(left).toMatchObject({ cursor: 3_500, pending: [2, 3, 5, 6] })
    expect(await dueOf(walkOf([{}, {}, {}, {}, { state: 'waiting' }], left))).toEqual([2, 3])
  })

  test('when too many wait, then the rest is come to later', async () => {
    const walk = walkOf(Array.from({ length: 6_000 }, () => ({ state: 'waiting' as const })))
    expect(await dueOf(walk)).toEqual([])
    expect(walk.state().cursor).toBe(5_000)
    expect(walk.state().pending).toHaveLength(5_000)
    const later = walkOf(
      Array.from({ length: 6_000 }, () => ({})),
      walk.state(),
    )
    expect(await dueOf(later, 10_000)).toHaveLength(6_000)
  })
})

test('a store sells by the list that config names for its number, else its country, else by what the platform says', () => {
  const stores = [
    { storeId: '1', number: '101', name: 'Oslo', countryCode: 'NO', goneAt: null },
    { storeId: '2', number: '201', name: 'Malmö', countryCode: 'SE', goneAt: null },
    { storeId: '3', number: null, name: 'Århus', countryCode: 'DK', goneAt: null },
    { storeId: '4', number: '301', name: 'Gone', countryCode: 'NO', goneAt: 1 },
  ] as StoredStore[]
  const records = [
    { storeId: '2', record: { RetailPricelistID: 7 } },
    { storeId: '3', record: { RetailPricelistID: '7' } },
    { storeId: '9', record: {} },
  ] as unknown as PlatformStore[]
  const own = ownLists(records, [{ id: '7', name: 'Retail DK' }])
  const config = { SE: 'Retail SE', '101': 'Retail Oslo', NO: 'Retail NO' }
  expect(retailLists(stores, config, own).map(({ storeId, list }) => [storeId, list])).toEqual([
    ['1', 'Retail Oslo'],
    ['2', 'Retail SE'],
    ['3', 'Retail DK'],
  ])
  expect(retailLists(stores, {}, new Map())[0]?.list).toBeNull()
})

describe('the state of products', () => {
  const START = Date.parse('2026-11-20T08:00:00Z')
  const NOW = { retail: 'Retail NO', settles: 15 * MINUTE }

  /** Runs every five minutes as price lists change; when everything was read, in minutes. */
  function fullReadings(lists: (minute: number) => string | null, minutes: number): number[] {
    let state = ProductsState.parse(null)
    const full: number[] = []
    for (let minute = 0; minute <= minutes; minute += 5) {
      const { changedSince, known } = planReading(state, { ...NOW, now: START + minute * MINUTE, lists: lists(minute) })
      if (changedSince === null) full.push(minute)
      state = { ...known, endedAt: START + minute * MINUTE }
    }
    return full
  }

  describe('which products are read', () => {
    test('when nothing was read yet, then all are; then what changed since 20 minutes before the last time', () => {
      const first = planReading(ProductsState.parse('nonsense'), { ...NOW, now: START, lists: 'a' })
      expect(first.changedSince).toBeNull()
      const now = START + 5 * MINUTE
      const next = planReading({ ...first.known, endedAt: START }, { ...NOW, now, lists: 'a' })
      expect(next.changedSince).toBe(START - 20 * MINUTE)
      expect(next.known).toMatchObject({ full: START, readAt: now, pricesAt: now })
    })

    test('when a day has passed, or a store sells by another list, then all are read', () => {
      expect(fullReadings(() => 'a', 2 * 24 * 60)).toEqual([0, 24 * 60, 2 * 24 * 60])
      const { known } = planReading(ProductsState.parse(null), { ...NOW, now: START, lists: 'a' })
      const other = { ...NOW, now: START + HOUR, lists: 'a', retail: 'Retail SE' }
      expect(planReading({ ...known, endedAt: START }, other).changedSince).toBeNull()
    })

    test('when price lists change, then all are read once they have come to rest, and prices are as old until then', () => {
      expect(fullReadings((minute) => (minute < 30 ? 'a' : minute < 40 ? `b${minute}` : 'c'), 120)).toEqual([0, 55])
      const { known } = planReading(ProductsState.parse(null), { ...NOW, now: START, lists: 'a' })
      const noticed = planReading({ ...known, endedAt: START }, { ...NOW, now: START + 5 * MINUTE, lists: 'b' })
      expect(noticed.known).toMatchObject({ readAt: START + 5 * MINUTE, pricesAt: START })
    })

    test('when price lists never come to rest, then all are read once an hour, and once more after that', () => {
      expect(fullReadings((minute) => (minute < 150 ? `b${minute}` : 'c'), 240)).toEqual([0, 65, 125, 165])
    })

    test('when the clock was ahead for a reading of changes, then what changed since the last one of all is asked for', () => {
      const { known } = planReading(ProductsState.parse(null), { ...NOW, now: START, lists: 'a' })
      const ahead = planReading({ ...known, endedAt: START }, { ...NOW, now: START + 5 * HOUR, lists: 'a' })
      const now = START + HOUR
      const back = planReading({ ...ahead.known, endedAt: START + 5 * HOUR }, { ...NOW, now, lists: 'a' })
      expect(back.changedSince).toBe(START - 20 * MINUTE)
      expect(back.known).toMatchObject({ full: START, readAt: now, pricesAt: now })
    })
  })
})
