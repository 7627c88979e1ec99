import { describe, expect, test } from 'vitest'
import { createUnsettled } from '../../../src/domain/accounting/settlement.ts'

const sale = (given: Record<string, unknown> = {}, day = '2026-08-03', place: string | null = '12') => ({
  place,
  day,
  body: { posId: 1, receiptNo: '100', ...given },
})

/** What is missing after these sales and settlements: store, POS and day of each. */
function missing(sold: ReturnType<typeof sale>[], settled: ReturnType<typeof sale>[] = []) {
  const unsettled = createUnsettled(({ body }) => (typeof body.storeId === 'string' ? body.storeId.split(' or ') : []))
  for (const row of settled) unsettled.settled(row)
  for (const row of sold) unsettled.sold(row)
  return unsettled.missing()
}

const names = (posList: ReturnType<typeof missing>) =>
  posList.map(({ store, posId, day }) => `${day} ${store}/${posId}`)

describe('POS that sold and have no settlement', () => {
  test('When a POS sold and nobody settled, then it is named with its sales, and their first and last receipt', () => {
    expect(missing([sale(), sale({ receiptNo: 101 }), sale({ receiptNo: '102' })])).toEqual([
      { store: '12', storeId: null, posId: '1', day: '2026-08-03', sales: 3, firstReceipt: '100', lastReceipt: '102' },
    ])
    expect(missing([sale({ storeId: '42' })])).toMatchObject([{ store: '12', storeId: '42' }])
  })

  test('When the day of the POS is settled, then nothing is missing; another POS, store or day is', () => {
    const sold = [sale(), sale({ posId: 2 }), sale({}, '2026-08-04'), sale({}, '2026-08-03', '13')]
    expect(names(missing(sold, [sale()]))).toEqual(['2026-08-03 12/2', '2026-08-03 13/1', '2026-08-04 12/1'])
  })

  test('When a settlement is of the whole store, then all of its POS are settled', () => {
    expect(missing([sale(), sale({ posId: 2 })], [sale({ posId: null })])).toEqual([])
  })

  test('When the store got another number between sale and settlement, then the settlement is known by its id', () => {
    const sold = [sale({ storeId: '42' }), sale({ storeId: '43' }, '2026-08-03', '13')]
    expect(names(missing(sold, [sale({ storeId: '42' }, '2026-08-03', '77')]))).toEqual(['2026-08-03 13/1'])
  })

  test('When only the settlement tells the id of the store, then the number that both are kept by is enough', () => {
    expect(missing([sale()], [sale({ storeId: '42' })])).toEqual([])
  })

  test('When only the sale tells whose it is, then a settlement under its number is enough, but none of another store', () => {
    expect(missing([sale({ storeId: '42' })], [sale()])).toEqual([])
    expect(names(missing([sale({ storeId: '42' })], [sale({ storeId: '43' })]))).toEqual(['2026-08-03 12/1'])
    expect(names(missing([sale({ storeId: '42' })], [sale({ storeId: '12' }, '2026-08-03', '77')]))).toHaveLength(1)
    expect(names(missing([sale()], [sale({ storeId: '12' }, '2026-08-03', '77')]))).toHaveLength(1)
    expect(names(missing([sale({ storeId: '42 or 43' })], [sale({ storeId: '42' }, '2026-08-03', '77')]))).toHaveLength(
      1,
    )
  })

  test('When only days are known of a settlement, or of sales, then every day of it is settled, but no more than ten', () => {
    const days = Array.from({ length: 12 }, (_, index) => `2026-08-${String(index + 3).padStart(2, '0')}`)
    const sold = days.map((day) => sale({}, day))
    const of = (from: unknown, to: unknown, day = '2026-08-03') =>
      missing(sold, [sale({ from, to }, day)]).map((one) => one.day)
    expect(of('2026-08-03T09:00:00', '2026-08-05T18:00:00')).toEqual(days.slice(3))
    expect(of('2026-08-03', '2026-08-04T18:00:00')).toEqual(days.slice(2))
    expect(of('2026-07-01', '2026-08-14')).toEqual(days.slice(0, 1))
    expect(of('2026-08-05', '2026-08-04', '2026-08-03')).toEqual(days.slice(1))
    for (const [from, to] of [
      ['2026-08-04', '2026-08-04'],
      ['2026-08-04', null],
      [null, '2026-08-05'],
      [null, null],
      ['soon', 'late'],
      ['2026-02-30', '2026-08-05'],
      [true, true],
    ])
      expect(of(from, to)).toEqual(days.slice(1))
  })

  describe('a POS that closes after midnight', () => {
    const at = (soldAt: string) => sale({ soldAt, receiptNo: soldAt.slice(5, 16) }, soldAt.slice(0, 10))
    const night = sale({ from: '2026-08-03T09:00:00', to: '2026-08-04T00:20:00' }, '2026-08-04')

    test('When it sold on the next day, too, and nobody settled that, then it is missing, with the receipts of that day alone', () => {
      const sold = ['2026-08-03T10:00:00', '2026-08-04T00:10:00.417', '2026-08-04T09:00:00', '2026-08-04 19:30:00'].map(
        at,
      )
      expect(missing(sold, [night])).toMatchObject([
        { day: '2026-08-04', sales: 2, firstReceipt: '08-04T09:00', lastReceipt: '08-04 19:30' },
      ])
    })

    test('When each of two settlements of a day has its sales, then nothing is missing; when one is not there, then what it would have is', () => {
      const next = sale({ from: '2026-08-04T09:00:00.5', settledAt: '2026-08-05T00:15:00' }, '2026-08-05')
      const sold = ['2026-08-04T00:20:00', '2026-08-04T09:00:00', '2026-08-05T00:15:00.9'].map(at)
      expect(missing(sold, [night, next])).toEqual([])
      expect(names(missing(sold, [next]))).toEqual(['2026-08-04 12/1'])
    })

    test('When the time of a sale has an offset, then its day decides', () => {
      expect(missing([sale({ soldAt: '2026-08-04T07:00:00Z' }, '2026-08-04')], [night])).toEqual([])
    })
  })

  test('When a sale was in no POS, or nobody knows its day, then it is missing nowhere', () => {
    expect(missing([sale({ external: true }), sale({}, '')])).toEqual([])
    expect(missing([sale({ external: false })])).toHaveLength(1)
    expect(missing([sale()], [sale({}, '')])).toHaveLength(1)
  })

  test('When they are listed, then by day, store and POS, as numbers are counted', () => {
    const sold = [
      sale({ posId: 10 }),
      sale({ posId: 9 }),
      sale({ posId: 1 }, '2026-08-03', '100'),
      sale({}, '2026-08-02', '500'),
      sale({ posId: undefined }),
      sale({ posId: 3 }, '2026-08-03', null),
    ]
    const sorted = [
      '2026-08-02 500/1',
      '2026-08-03 null/3',
      '2026-08-03 12/null',
      '2026-08-03 12/9',
      '2026-08-03 12/10',
      '2026-08-03 100/1',
    ]
    expect(names(missing(sold))).toEqual(sorted)
    expect(names(missing(sold.toReversed()))).toEqual(sorted)
  })
})
