import { expect, test } from 'vitest'
import type { SalesHour } from '../../../src/domain/catalogue/mirror.ts'
import { money, parseDecimal } from '../../../src/domain/values/money.ts'
import { changesOf, type SoldDay, soldOn } from '../../../src/jobs/pulls/events-by-day.ts'
import type { SalesLine } from '../../../src/platform/resources/sales.ts'

const NOK = () => 'NOK'

test('when lines are of several stores and hours, then each hour of a store stands alone; the hour that comes twice is one', () => {
  const rows = [
    line({ lineId: '3', soldAt: '2026-10-25T02:30:00' }),
    line({ lineId: '1', soldAt: '2026-10-25T02:40:00.417' }),
    line({ lineId: '2', soldAt: '2026-10-25T02:10:00' }),
    line({ lineId: '4', storeId: '51', soldAt: '2026-10-25 02:10:00' }),
    line({ lineId: '5', soldAt: '2026-10-25T03:00:00' }),
  ]

  const { hours, lines } = soldOn('2026-10-25', rows, NOK)

  expect(
    hours
      .map((one) => one.make())
      .map(({ storeId, hour, lines }) => [storeId, hour, lines.map(({ lineId }) => lineId)]),
  ).toEqual([
    ['42', '2026-10-25T02', ['1', '2', '3']],
    ['51', '2026-10-25T02', ['4']],
    ['42', '2026-10-25T03', ['5']],
  ])
  expect(lines).toBe(5)
})

test('when the same lines come in another order, then the hours are the same, also where lines have no ids', () => {
  const rows = [line({ lineId: null }), line({ lineId: null }), line({ lineId: null, gtin: null }), line({})]

  const hours = made(soldOn('2026-10-25', rows, NOK))

  expect(made(soldOn('2026-10-25', rows.toReversed(), NOK))).toEqual(hours)
  const ids = hours.flatMap(({ lines }) => lines.map(({ lineId }) => lineId))
  expect(new Set(ids).size).toBe(4)
  expect(ids).toContain('~/42/2026-10-25T10:00:00/7090012340011/1/349/2')
})

test('when a line names no currency, then it has the one of its store; where nobody knows it, it is left out and counted', () => {
  const rows = [line({ currency: null }), line({ currency: null, storeId: '99' }), line({ currency: 'KR.' })]

  const sold = soldOn('2026-10-25', rows, (storeId) => (storeId === '42' ? 'NOK' : null))

  expect(sold.skipped).toBe(1)
  expect(made(sold).flatMap(({ lines }) => lines.map(({ unitPrice }) => unitPrice))).toEqual([
    money(349, 'NOK'),
    money(349, 'NOK'),
  ])
})

test('when lines are of another day, then they are not of this one', () => {
  expect(soldOn('2026-10-25', [line({ soldAt: '2026-10-26T00:00:00' })], NOK)).toMatchObject({
    hours: [],
    lines: 0,
    skipped: 0,
  })
})

test('when hours changed, then these alone are told; those that have no lines any more are empty', () => {
  const rows = [line({}), line({ soldAt: '2026-10-25T12:00:00' }), line({ storeId: '51' })]
  const first = changesOf('2026-10-25', {}, soldOn('2026-10-25', rows, NOK))
  expect(first.changed).toHaveLength(3)
  expect(first.meanwhile).toEqual({ 42: { 10: '', 12: '' }, 51: { 10: '' } })

  const again = changesOf('2026-10-25', first.found, soldOn('2026-10-25', rows.toReversed(), NOK))
  expect(again).toMatchObject({ changed: [], emptied: [], meanwhile: first.found })

  const more = [line({}), line({ lineId: '2' }), line({ soldAt: '2026-10-25T12:00:00' })]
  const { changed, emptied, found, meanwhile } = changesOf('2026-10-25', first.found, soldOn('2026-10-25', more, NOK))
  expect(changed).toMatchObject([{ storeId: '42', hour: '10' }])
  expect(emptied).toEqual([{ storeId: '51', hour: '2026-10-25T10', lines: [] }])
  expect(found).toMatchObject({ 42: { 12: first.found['42']?.['12'] } })
  expect(meanwhile).toMatchObject({ 42: { 10: '' }, 51: first.found['51'] })
})

test('when a run was cut off while it told, then all that it may have told is told again', () => {
  const { meanwhile } = changesOf('2026-10-25', {}, soldOn('2026-10-25', [line({}), line({ storeId: '51' })], NOK))

  const { changed, emptied } = changesOf('2026-10-25', meanwhile, soldOn('2026-10-25', [line({})], NOK))

  expect(changed).toMatchObject([{ storeId: '42' }])
  expect(emptied).toMatchObject([{ storeId: '51' }])
})

function made({ hours }: SoldDay): SalesHour[] {
  return hours.map((hour) => hour.make())
}

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
