import { describe, expect, test } from 'vitest'
import { expectRefused, givenAnswer, givenPlatform } from '../given.ts'

const began = Date.UTC(2026, 10, 20, 3)
const items = [
  { gtin: '0701', quantity: '4' },
  { gtin: '0702', quantity: '-1.250' },
]

describe('adjusting', () => {
  test('When some levels are set, then it says that they are not all', async () => {
    await using given = await givenAnswer({ body: 'Ok' })
    await given.platform.stock.adjust({ stockId: '3011', description: 'Online', items, stockCountTime: began })
    expect(given.server.asked.map(({ line, body }) => [line, JSON.parse(body)])).toEqual([
      [
        'POST /api/Stock/adjust',
        {
          stockId: 3011,
          isCompleteStockCount: false,
          description: 'Online',
          items: [
            { gtin: '0701', quantity: 4 },
            { gtin: '0702', quantity: -1.25 },
          ],
        },
      ],
    ])
  })

  test('When all levels are set, then the time is sent when the count began', async () => {
    await using given = await givenAnswer({ body: 'Ok' })
    const count = { stockId: '3011', items, isCompleteStockCount: true, stockCountTime: began }
    await given.platform.stock.adjust(count)
    expect(JSON.parse(given.server.asked[0]?.body ?? '')).toMatchObject({
      isCompleteStockCount: true,
      stockCountTime: '2026-11-20T03:00:00.000Z',
    })
  })

  test.each([
    ['a complete count without its time', { items, isCompleteStockCount: true }, 'needs stockCountTime'],
    [
      'a complete count of nothing',
      { items: [], isCompleteStockCount: true, stockCountTime: began },
      'the whole stock to 0',
    ],
    ['two levels for one GTIN', { items: [...items, { gtin: ' 0701 ', quantity: '5' }] }, 'item 3 is the second'],
    ['an item without GTIN', { items: [{ gtin: '', quantity: '5' }] }, 'item 1: the gtin is empty'],
    ['a quantity that is none', { items: [{ gtin: '0701', quantity: '' }] }, 'item 1: the quantity cannot be sent'],
    ['no stock', { stockId: '', items }, 'the stockId is empty'],
  ])('When it is %s, then it is refused, and nothing is sent', async (_, wrong, said) => {
    await using given = await givenPlatform()
    await expectRefused(given, given.platform.stock.adjust({ stockId: '3011', ...wrong }), said)
  })
})

describe('levels', () => {
  const level = (nth: number) => ({ id: `${nth + 1}`, stockId: 3011, quantity: 1 })
  const levels = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => level(from + n))
  const pageOf = ({ body }: { body: string }) => {
    const { pageSize, pageSkip } = JSON.parse(body)
    return [pageSize, pageSkip]
  }

  test.each<[string, number, number[][], (number | undefined)[][]]>([
    [
      'in pages, which are skipped',
      230,
      [
        [0, 100],
        [100, 200],
        [200, 230],
        [230, 230],
      ],
      [
        [100, 1],
        [100, 2],
        [100, 3],
      ],
    ],
    [
      'in pages, whose rows are skipped',
      230,
      [
        [0, 100],
        [1, 101],
        [100, 200],
        [200, 230],
        [230, 230],
      ],
      [
        [100, 1],
        [100, 100],
        [100, 200],
        [100, 300],
      ],
    ],
    ['whole, whatever is asked', 100, [[0, 100]], [[100, 1]]],
    [
      'whole, and by chance as many as a page holds',
      100,
      [
        [0, 100],
        [1, 100],
      ],
      [[100, 1]],
    ],
    ['as no page', 99, [[0, 99]], []],
  ])('When the platform answers %s, then all of a stock is read', async (_, all, pages, asked) => {
    await using given = await givenAnswer(pages.map(([from = 0, to = 0]) => ({ body: levels(from, to) })))
    const { rows } = await given.platform.stock.levels({ stockIds: ['3011'] })
    expect(rows.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(levels(0, all).map(({ id }) => Number(id)))
    expect(given.server.asked.slice(1).map(pageOf)).toEqual(asked)
  })

  test('When the platform refuses to be asked for a page, then what it answered is all', async () => {
    await using given = await givenAnswer([{ body: levels(0, 100) }, { status: 400 }])
    expect((await given.platform.stock.levels({ stockIds: ['3011'] })).rows).toHaveLength(100)
  })

  test('When they are asked for, then quantities are exact, and rows of other stocks are left out', async () => {
    await using given = await givenAnswer({
      body: [
        { id: '0701', stockId: 3011, quantity: 0.1 },
        { Id: 702, StockId: '3012', Quantity: '-1.50' },
        { id: '0703', stockId: 9999, quantity: 5 },
      ],
    })
    expect((await given.platform.stock.levels({ stockIds: ['3011', '3012'] })).rows).toEqual([
      { id: '0701', stockId: '3011', quantity: '0.1' },
      { id: '702', stockId: '3012', quantity: '-1.5' },
    ])
    expect(given.server.asked[0]).toMatchObject({
      line: 'POST /api/Stock',
      body: '{"stockIds":[3011,3012],"useGTIN":true}',
    })
  })

  // "An empty `id`" was seen in the answer of the public API.
  test.each([
    [{ id: '1', stockId: 1 }, 'has no quantity'],
    [{ id: '1', stockId: 1, quantity: 'Hidden' }, 'has a quantity that is not a decimal'],
    [{ id: '', stockId: 1, quantity: 1 }, 'has no id'],
  ])('When a row is %j, then it is aside, without a value, and the others go on', async (row, why) => {
    await using given = await givenAnswer({ body: [row, { id: '2', stockId: 1, quantity: 4 }] })
    const { rows, rejected } = await given.platform.stock.levels({ stockIds: ['1'] })
    expect(rows).toEqual([{ id: '2', stockId: '1', quantity: '4' }])
    expect(rejected).toEqual([{ row: 1, why, record: row }])
  })
})

test.each([
  ['spec', {}, undefined, false],
  ['frontsystems-v2', {}, true, false],
  ['frontsystems-v2', { levels: 'sellable' }, undefined, true],
] as const)(
  'what is kept for somebody: When levels are asked for in %s with %j, then reservations are left out or not, and never taken off twice',
  async (preset, changes, sent, sellable) => {
    await using given = await givenAnswer({ body: [] }, { preset, endpoints: { 'stock.levels': changes } })
    await given.platform.stock.levels({ stockIds: ['12'] })
    expect(JSON.parse(given.server.asked[0]?.body ?? '').excludeStockReservations).toBe(sent)
    expect(given.platform.stock.areSellable()).toBe(sellable)
  },
)
