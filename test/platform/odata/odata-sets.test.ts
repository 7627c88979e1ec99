import { describe, expect, test } from 'vitest'
import { failureOf, type Given, givenAnswer, givenPlatform } from '../given.ts'

async function all<T>(windows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const window of windows) found.push(window)
  return found
}

function asked({ server }: Given): string[] {
  return server.asked.map(({ line }) => decodeURIComponent(line))
}

describe('stock movements', () => {
  const movement = { EAN: '704', Qty: -2, Stockid: 12, Stock: 'Oslo', MoveDateTime: '2026-07-02T09:15:00' }
  const days = { from: '2026-07-01', to: '2026-07-03' }

  test('When movements are read, then each field has its place, with the sign of the quantity', async () => {
    await using given = await givenAnswer({ body: { value: [movement] } })
    const [window] = await all(given.platform.stockMovements.list(days))
    expect(window).toEqual({
      ...days,
      rejected: [],
      suspect: false,
      daysWithoutRows: ['2026-07-01', '2026-07-03'],
      rows: [
        {
          gtin: '704',
          quantity: '-2',
          stockId: '12',
          stockName: 'Oslo',
          movedAt: '2026-07-02T09:15:00',
          record: movement,
        },
      ],
    })
    expect(asked(given)).toEqual([
      "GET /odata/Stockmovements?from='2026-07-01'&to='2026-07-03'&$select=EAN,Qty,Stockid,Stock,MoveDateTime",
    ])
  })
})

describe('stock status', () => {
  const COLUMNS = 'Stockid,EAN,Qty'
  const row = { Stockid: 3011, EAN: '704', Qty: '12.00' }

  for (const at of ['2026-08-31 23:00:00', '2026-08-31T23:00:00'] as const)
    test(`When the status at ${at} is asked for, then the time is sent in quotes, with a blank`, async () => {
      await using given = await givenAnswer({ body: { value: [row] } })
      expect(await given.platform.stockStatus.list({ at })).toEqual({
        rejected: [],
        suspect: false,
        rows: [{ stockId: '3011', gtin: '704', quantity: '12' }],
      })
      expect(asked(given)).toEqual([`GET /odata/Stockstatus?snapshotDateTime='2026-08-31 23:00:00'&$select=${COLUMNS}`])
      expect(given.server.asked[0]?.line).toContain('31%2023')
    })

  test('When one stock is asked for, then only its rows are given, and nothing at all is suspect', async () => {
    await using given = await givenAnswer([
      { body: { value: [row, { ...row, Stockid: 3012 }] } },
      { body: { value: [] } },
    ])
    const found = await given.platform.stockStatus.list({ stockId: '3011' })
    expect(found.rows.map(({ stockId }) => stockId)).toEqual(['3011'])
    expect(await given.platform.stockStatus.list({ stockId: '3011' })).toEqual({
      rows: [],
      rejected: [],
      suspect: true,
    })
    expect(asked(given)[0]).toBe(`GET /odata/Stockstatus?stock_id=3011&$select=${COLUMNS}`)
  })

  test.each([
    [{ at: '2026-08-31' }, /^at "2026-08-31": it must be a time/],
    [{ at: '2026-02-30 23:00:00' }, /^at /],
    [{ at: '2026-08-31T23:00:00Z' }, /^at /],
    [{ stockId: "1' or 1" }, /^stockId /],
  ])('When %j is asked for, then that is refused before anything is sent', async (query, said) => {
    await using given = await givenPlatform()
    const failure = await failureOf(given.platform.stockStatus.list(query))
    expect(failure).toMatchObject({ name: 'UserError', message: expect.stringMatching(said) })
    expect(given.server.asked).toEqual([])
  })
})
