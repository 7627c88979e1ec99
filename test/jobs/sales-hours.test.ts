import { expect, test } from 'vitest'
import { money, parseDecimal } from '../../src/domain/money.ts'
import { emptied, soldOn } from '../../src/jobs/sales-hours.ts'
import type { SalesLine } from '../../src/platform/sales-lines.ts'

const NOK = () => 'NOK'

test('when lines are of several stores and hours, then each hour of a store stands alone; the hour that comes twice is one', () => {
  const rows = [
    line({ lineId: '3', soldAt: '2026-10-25T02:30:00' }),
    line({ lineId: '1', soldAt: '2026-10-25T02:40:00.417' }),
    line({ lineId: '2', soldAt: '2026-10-25T02:10:00' }),
    line({ lineId: '4', storeId: '51', soldAt: '2026-10-25 02:10:00' }),
    line({ lineId: '5', soldAt: '2026-10-25T03:00:00' }),
  ]

  const { take, lines } = soldOn('2026-10-25', rows, NOK)

  expect([...take()].map(({ storeId, hour, lines }) => [storeId, hour, lines.map(({ lineId }) => lineId)])).toEqual([
    ['42', '2026-10-25T02', ['1', '2', '3']],
    ['42', '2026-10-25T03', ['5']],
    ['51', '2026-10-25T02', ['4']],
  ])
  expect(lines).toBe(5)
})

test('when the same lines come in another order, then the hours are the same, also where lines have no ids', () => {
  const rows = [line({ lineId: null }), line({ lineId: null }), line({ lineId: null, gtin: null }), line({})]

  const hours = [...soldOn('2026-10-25', rows, NOK).take()]

  expect([...soldOn('2026-10-25', rows.toReversed(), NOK).take()]).toEqual(hours)
  const ids = hours.flatMap(({ lines }) => lines.map(({ lineId }) => lineId))
  expect(new Set(ids).size).toBe(4)
  expect(ids).toContain('~/42/2026-10-25T10:00:00/7090012340011/1/349/2')
})

test('when a line names no currency, then it has the one of its store; where nobody knows it, it is left out and counted', () => {
  const rows = [line({ currency: null }), line({ currency: null, storeId: '99' }), line({ currency: 'KR.' })]

  const { take, skipped } = soldOn('2026-10-25', rows, (storeId) => (storeId === '42' ? 'NOK' : null))

  expect(skipped).toBe(1)
  expect([...take()].flatMap(({ lines }) => lines.map(({ unitPrice }) => unitPrice))).toEqual([
    money(349, 'NOK'),
    money(349, 'NOK'),
  ])
})

test('when lines are of another day, then they are not of this one', () => {
  expect(soldOn('2026-10-25', [line({ soldAt: '2026-10-26T00:00:00' })], NOK)).toMatchObject({
    hoursOf: {},
    lines: 0,
    skipped: 0,
  })
})

test('when hours had lines and have none, then they are empty now', () => {
  expect(emptied('2026-10-25', { 42: ['09', '10'], 51: ['11'] }, { 42: ['10', '12'] })).toEqual([
    { storeId: '42', hour: '2026-10-25T09', lines: [] },
    { storeId: '51', hour: '2026-10-25T11', lines: [] },
  ])
})

function line(given: Partial<SalesLine>): SalesLine {
  return {
    lineId: '1',
    saleId: '7',
    storeId: '42',
    stockId: '12',
    productId: '1',
    gtin: '7090012340011',
    soldAt: '2026-10-25T10:00:00',
    quantity: parseDecimal(1),
    unitPrice: parseDecimal('349.00'),
    fullPrice: null,
    discount: null,
    cost: null,
    vatRate: null,
    currency: 'NOK',
    record: {},
    ...given,
  }
}
