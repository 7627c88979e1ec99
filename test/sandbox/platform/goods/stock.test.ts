import { describe, expect, test } from 'vitest'
import { givenPlatform, startReceiver, subscribe } from '../given.ts'
import { call, levelOf, TEE } from './given.ts'

const SOCKS = '7090012340059'

describe('stock levels', () => {
  test('When something is sold or comes back, then the level follows, and the webhook tells the same one', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await subscribe(platform, 'StockMovementCreated', receiver.url)
    platform.till.sell({ store: '101', lines: [{ sku: TEE.sku, quantity: 4 }] })
    platform.till.sell({ store: '101', lines: [{ sku: TEE.sku, quantity: -1 }] })
    await platform.settled()
    expect(await levelOf(platform, 12, TEE.gtin)).toBe(27)
    expect(await levelOf(platform, 13, TEE.gtin)).toBe(30)
    expect(receiver.bodies).toHaveLength(2)
    expect(receiver.bodies).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ quantity: -4, stockLevel: 26 }),
        expect.objectContaining({ quantity: 1, stockLevel: 27 }),
      ]),
    )
  })

  test('When levels are asked for without useGTIN, then the platform names sizes by its own ids', async () => {
    await using platform = await givenPlatform()
    const { body: tee } = await call(platform, 'get', `/api/Product/gtin/${TEE.gtin}`)
    const { body } = await call(platform, 'post', '/api/Stock', { stockIds: [12] })
    const id = tee[0].productSizes[0].identity
    expect(body).toContainEqual({ id, stockId: 12, quantity: 30 })
    expect(body.every(({ stockId }: { stockId: number }) => stockId === 12)).toBe(true)
  })

  test('When only what changed since is asked for, then the rest is not told; pages and zeroes are as asked', async () => {
    let now = Date.parse('2026-11-20T10:00:00Z')
    await using platform = await givenPlatform({ now: () => now })
    now += 60_000
    await call(platform, 'post', '/api/Stock/adjust', { stockId: 12, items: [{ gtin: TEE.gtin, quantity: 0 }] })
    const changed = { stockIds: [12, 13], useGTIN: true, ins: '2026-11-20T10:00:30Z' }
    expect((await call(platform, 'post', '/api/Stock', changed)).body).toEqual([
      { id: TEE.gtin, stockId: 12, quantity: 0 },
    ])
    expect((await call(platform, 'post', '/api/Stock', { ...changed, suppressZeroes: true })).body).toEqual([])
    const all = await call(platform, 'post', '/api/Stock/count', { stockIds: [12] })
    const page = await call(platform, 'post', '/api/Stock', { stockIds: [12], pageSize: 5, pageSkip: all.body - 2 })
    expect(page.body).toHaveLength(2)
  })

  test.each([
    ['a stock that there is not', { stockIds: [99] }, '99'],
    ['a text for a stock', { stockIds: ['12'] }, 'stockIds'],
    ['a day that is none', { ins: 'yesterday' }, 'ins'],
  ])('When levels are asked for with %s, then it is refused', async (_, filter, named) => {
    await using platform = await givenPlatform()
    const answer = await call(platform, 'post', '/api/Stock', filter)
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(named) } })
  })

  test('When the stocks are listed, then each has its name', async () => {
    await using platform = await givenPlatform()
    const { body } = await call(platform, 'get', '/api/Stock/list')
    expect(body).toEqual({
      12: 'Oslo City',
      13: 'Bergen Torg',
      14: 'Trondheim Solsiden',
      21: 'Stockholm Hamngatan',
      22: 'Göteborg Nordstan',
      900: 'Webshop',
    })
  })

  test('When the settings of stocks are read, then the online store has one that is virtual and can be sold from', async () => {
    await using platform = await givenPlatform()
    const { body } = await call(platform, 'get', '/api/Stock/settings')
    const settings = body as { stockid: number; isVirtual: boolean; isAvailableForSale: boolean; extId: string }[]
    expect(settings.filter(({ isVirtual }) => isVirtual)).toMatchObject([
      { stockid: 900, extId: 'WEB', isAvailableForSale: true, currency: 'NOK' },
    ])
    expect(settings).toHaveLength(6)
    const { body: stores } = await call(platform, 'get', '/api/Stores')
    expect(stores).toHaveLength(5)
    expect(stores.some(({ StockId }: { StockId: number }) => StockId === 900)).toBe(false)
    expect(await levelOf(platform, 900, TEE.gtin)).toBe(30)
  })
})

describe('adjustments', () => {
  test('When some items are adjusted, then only they change, and it comes back as an event with its movements (facts, §5 line 23)', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await using movements = await startReceiver()
    await subscribe(platform, 'StockCountReconciled', receiver.url)
    await subscribe(platform, 'StockMovementCreated', movements.url)
    const items = [
      { gtin: TEE.gtin, quantity: 12 },
      { gtin: SOCKS, quantity: 30 },
    ]
    const answer = await call(platform, 'post', '/api/Stock/adjust', { description: 'Recount', stockId: 12, items })
    expect(answer).toMatchObject({ status: 200, body: 'Ok' })
    await platform.settled()
    expect(await levelOf(platform, 12, TEE.gtin)).toBe(12)
    expect(await levelOf(platform, 12, '7090012340028')).toBe(30)
    const moved = { gtin: TEE.gtin, type: 'Reconciliation', quantity: -18, stockLevel: 12 }
    expect(receiver.bodies).toMatchObject([
      { stockId: 12, description: 'Recount', isCompleteStockCount: false, items, stockMovements: [moved] },
    ])
    // What was right already did not move.
    expect(movements.bodies).toMatchObject([moved])
  })

  test('When a count is complete, then all that it leaves out is 0, in that stock only (facts, §5 line 22)', async () => {
    await using platform = await givenPlatform({ seedCatalogue: false, now: () => Date.parse('2026-11-20T10:00:00Z') })
    await using receiver = await startReceiver()
    await subscribe(platform, 'StockCountReconciled', receiver.url)
    const count = { stockId: 12, isCompleteStockCount: true, stockCountTime: '2026-11-20T09:00:00Z' }
    await call(platform, 'post', '/api/Stock/adjust', { ...count, items: [{ gtin: TEE.gtin, quantity: 3 }] })
    const { body } = await call(platform, 'post', '/api/Stock', { stockIds: [12], suppressZeroes: true, useGTIN: true })
    expect(body).toEqual([{ id: TEE.gtin, stockId: 12, quantity: 3 }])
    expect(await levelOf(platform, 13, SOCKS)).toBe(30)
    await platform.settled()
    const said = { isCompleteStockCount: true, countedDateTime: '2026-11-20T10:00:00', items: { length: 9 } }
    expect(receiver.bodies).toMatchObject([{ ...said, stockMovements: { length: 9 } }])
  })

  test.each([
    ['no stock', { stockId: undefined }, 'stockId'],
    ['a stock that there is not', { stockId: 99 }, '99'],
    ['an item without a name', { items: [{ quantity: 1 }] }, 'items[0]'],
    [
      'an unknown item',
      {
        items: [
          { gtin: SOCKS, quantity: 1 },
          { gtin: '4006381333931', quantity: 1 },
        ],
      },
      'items[1]',
    ],
    [
      'an item twice',
      {
        items: [
          { gtin: SOCKS, quantity: 1 },
          { gtin: SOCKS, quantity: 2 },
        ],
      },
      'items[1]',
    ],
    ['half a piece', { items: [{ gtin: SOCKS, quantity: 0.5 }] }, 'quantity'],
    ['a complete count without its time', { isCompleteStockCount: true }, 'stockCountTime'],
    ['a count of tomorrow', { isCompleteStockCount: true, stockCountTime: '2026-11-21' }, 'stockCountTime'],
    ['a field that there is not', { complete: true }, 'complete'],
  ])('When an adjustment has %s, then it is refused, and no level changes', async (_, part, named) => {
    await using platform = await givenPlatform({ now: () => Date.parse('2026-11-20T10:00:00Z') })
    const items = [{ gtin: SOCKS, quantity: 5 }]
    const answer = await call(platform, 'post', '/api/Stock/adjust', { stockId: 12, items, ...part })
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(named) } })
    expect(await levelOf(platform, 12, SOCKS)).toBe(30)
  })
})
