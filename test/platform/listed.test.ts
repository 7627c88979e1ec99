import { describe, expect, test } from 'vitest'
import type { Unreadable } from '../../src/platform/http/read.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { givenAnswer, givenPlatform } from './given.ts'

const URL = 'https://hub.example.com/webhooks/SaleCreated?token=t'

/* What the public API shows of each; of the wrong one, what it says may be null, or what was seen. */
const SUBSCRIPTION = { id: '3fa85f64-5717-4562-b3fc-2c963f66afa6', storeId: 0, event: 'SaleCreated', url: URL }
const FOREIGN = { ...SUBSCRIPTION, id: '3fa85f64-5717-4562-b3fc-2c963f66afa7', event: null, url: null }
const STORE = { StoreId: 1012, StoreNo: '7', StoreName: 'Oslo City', TimeZoneInfo: 'Europe/Oslo' }
const EVENT = { webhookId: 'w-1', webhookEventId: 'e-1', createdDateTime: '2026-11-20T10:00:00', status: 'OK' }
const ORDER = { OrderId: 501, ToStockId: 12, Products: [] }
const LINE = {
  STOREID_FK: 1012,
  SaleDateTime: '2026-07-02T10:00:00',
  Qty: '1',
  EAN: '704',
  Price: '10',
  FullPrice: '10',
}
const MOVEMENT = { EAN: '704', Qty: -2, Stockid: 12, Stock: 'Oslo', MoveDateTime: '2026-07-02T09:15:00' }
const STATUS = { Stockid: 12, EAN: '704', Qty: 4 }

type Read = (platform: Platform) => Promise<{ rows: unknown[]; rejected: Unreadable[] }>

const one = { from: '2026-07-02', to: '2026-07-02' }
const LISTS: [operation: string, read: Read, good: object | string, bad: object, why: string][] = [
  ['webhooks.list', ({ webhooks }) => webhooks.list(), SUBSCRIPTION, FOREIGN, 'has no event'],
  [
    'webhooks.types',
    ({ webhooks }) => webhooks.types(),
    'SaleCreated',
    { description: '' },
    'is an object without a name',
  ],
  ['stores.list', ({ stores }) => stores.list(), STORE, { ...STORE, StoreId: null }, 'has no StoreId'],
  [
    'stores.list',
    ({ stores }) => stores.list(),
    STORE,
    { ...STORE, StoreId: '4'.repeat(3_000) },
    'has a StoreId of 3000 bytes',
  ],
  [
    'events.list',
    ({ events }) => events.list({ webhookId: 'w-1', from: 0, to: 1 }),
    EVENT,
    { ...EVENT, createdDateTime: 'now' },
    'has a createdDateTime that is not a datetime',
  ],
  [
    'prices.lists',
    ({ prices }) => prices.lists(),
    { pricelistId: 4, name: 'Club' },
    { pricelistId: 5, name: null },
    'has no name',
  ],
  [
    'goodsDeliveries.list',
    ({ goodsDeliveries }) => goodsDeliveries.list('12'),
    ORDER,
    { ...ORDER, OrderId: '' },
    'has no OrderId',
  ],
  ['reservations.list', ({ reservations }) => reservations.list('12'), { id: 'r-1' }, { extId: 'W-1' }, 'has no id'],
  [
    'listedPrices.read',
    ({ listedPrices }) => listedPrices.read('7', { gtin: '704' }),
    { gtin: '704', price: 10 },
    { gtin: '704' },
    'has no price',
  ],
  ['stocks.list', ({ stocks }) => stocks.list(), { id: 12, name: 'Oslo' }, { name: 'Oslo' }, 'has no stockid'],
]

describe('a list with a row that cannot be read', () => {
  test.each(LISTS)('When %s has one, then it is aside, named and told, and the others are given', async (...list) => {
    const [operation, read, good, bad, why] = list
    const reported: unknown[] = []
    const rejectedRows = { listed: (...what: unknown[]) => void reported.push(what) }
    await using given = await givenAnswer([{ body: [good, bad, good] }, { body: [good] }], { rejectedRows })
    const { rows, rejected } = await read(given.platform)
    expect(rows).toHaveLength(2)
    expect(rejected).toEqual([{ row: 2, why, record: bad }])
    expect((await read(given.platform)).rejected).toEqual([])
    expect(reported).toEqual([
      [operation, expect.any(String), [{ row: 2, why, record: bad }]],
      [operation, expect.any(String), []],
    ])
  })

  test('When a sales line has a price that is none, and another no time, then they are aside, and not in a gap of days', async () => {
    await using given = await givenAnswer({
      body: { value: [LINE, { ...LINE, Price: '1.399,50' }, { STOREID_FK: 1, Qty: '1', Email: 'a@b' }] },
    })
    const [window] = await Array.fromAsync(given.platform.salesLines.list(one))
    expect(window).toMatchObject({
      rows: [{ gtin: '704' }],
      rejected: [
        { row: 2, why: 'has a Price that is not a decimal' },
        { row: 3, why: 'has no SaleDateTime' },
      ],
      suspect: false,
    })
    expect(JSON.stringify(window)).not.toContain('a@b')
  })

  test('When nothing of a window can be read, then it is not taken for an empty one', async () => {
    await using given = await givenPlatform()
    given.server.play([
      { body: { value: [{ ...MOVEMENT, MoveDateTime: '2. juli' }] } },
      { body: { value: [{ ...STATUS, Qty: null }] } },
    ])
    const [window] = await Array.fromAsync(given.platform.stockMovements.list(one))
    expect(window).toMatchObject({
      rows: [],
      suspect: false,
      rejected: [{ why: 'has a MoveDateTime that is not a datetime' }],
    })
    expect(await given.platform.stockStatus.list({ stockId: '12' })).toMatchObject({
      rows: [],
      suspect: false,
      rejected: [{ row: 1 }],
    })
  })

  test('When a search has one, then it counts as found, and is told at the end', async () => {
    await using given = await givenPlatform()
    given.server.play(
      [
        {
          body: [
            { productid: 1, price: 10 },
            { productid: 2, price: 'ti kroner' },
          ],
        },
      ],
      '/api/Product',
    )
    given.server.play([{ body: 2 }], '/api/Product/count')
    const search = given.platform.products.search()
    expect(await search.next()).toMatchObject({ done: false, value: { productId: '1' } })
    expect(await search.next()).toMatchObject({
      done: true,
      value: [{ row: 2, why: 'has a price that is not a decimal' }],
    })
  })

  test('When settlements come in pages, then one that is aside is counted once, and paging ends', async () => {
    await using given = await givenPlatform({ preset: 'frontsystems-v2' })
    const settlement = { settlementId: 1, currency: 'NOK', settlementTimeStamp: '2026-07-02T21:05:00' }
    given.server.play({ body: [settlement, { ...settlement, currency: null }] })
    const { rows, rejected } = await given.platform.settlements.list({ day: one.from })
    expect([rows.length, rejected.length]).toEqual([1, 1])
    expect(given.server.asked).toHaveLength(3)
  })
})
