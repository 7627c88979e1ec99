import { describe, expect, test } from 'vitest'
import { likelyStoresOfRow, posNames, stocksDuring, storesOfRow } from '../../../src/domain/stores/former-place.ts'

const DAY = 86_400_000
const NOW = Date.parse('2026-11-20T00:00:00Z')
const dayBefore = (days: number) => ({ from: NOW - days * DAY, to: NOW - (days - 1) * DAY })

const OSLO = { storeId: '42', number: '301', stockId: '19' }
const BERGEN = { storeId: '43', number: '101', stockId: '13' }
const FORMER = [
  { storeId: '42', number: null, stockId: '12', until: NOW - 30 * DAY },
  { storeId: '42', number: '101', stockId: '12', until: NOW - 10 * DAY },
]

describe('what a store was called', () => {
  test('when it never had another name, then it is what it is called today, whenever that was', () => {
    expect(stocksDuring(BERGEN, FORMER, dayBefore(900))).toEqual(['13'])
    expect(posNames(BERGEN, FORMER)).toEqual(['101', '43'])
  })

  test.each([
    [40, ['12']],
    [20, ['12']],
    [5, ['19']],
    // The hub read the new one ten days ago; the platform had it since the day before, perhaps.
    [12, ['12', '19']],
    [13, ['12']],
    [11, ['12', '19']],
    [10, ['19']],
  ])('when a day is asked for that was %i days ago, then its stock was %j', (days, stockIds) => {
    expect(stocksDuring(OSLO, FORMER, dayBefore(days))).toEqual(stockIds)
  })

  test('when its records are looked for, then by each number that it has had, and by its id', () => {
    expect(posNames(OSLO, FORMER)).toEqual(['101', '301', '42'])
  })

  test('when a row is kept by a number, then it is of a store that had it on its day', () => {
    const storesOf = storesOfRow(
      [OSLO, { ...BERGEN, stockId: '14' }, { ...BERGEN, storeId: '44' }],
      [
        ...FORMER,
        { storeId: '43', number: '77', stockId: '13', until: NOW - 8 * DAY },
        { storeId: '44', number: '301', stockId: '13', until: NOW - 8 * DAY },
      ],
    )
    const row = { place: '101', day: '2026-11-01', body: {} }
    expect(storesOf(row)).toEqual(['42'])
    expect(storesOf({ ...row, day: '2026-11-15' })).toEqual(['43', '44'])
    expect(storesOf({ ...row, place: '77' })).toEqual(['43'])
    expect(storesOf({ ...row, place: '301', day: '2026-11-15' })).toEqual(['42'])
    expect(storesOf({ ...row, place: '301', day: '2026-11-10' })).toEqual(['42', '44'])
    // A POS that was offline sends what it sold under its old number.
    expect(storesOf({ ...row, place: '77', day: '2026-11-19' })).toEqual(['43'])
    expect(storesOf({ ...row, body: { storeId: '43' } })).toEqual(['43'])
    expect(storesOf({ ...row, place: '999', body: { storeId: null } })).toEqual([])
    expect(storesOf({ ...row, day: '2026-10-01', place: null })).toEqual([])
  })

  test('when several may be meant, then it is of the one that the hub knew by that number at its moment, on the clock of the store', () => {
    const zone = 'Europe/Oslo'
    const until = Date.parse('2026-11-10T00:30:00Z')
    const storesOf = likelyStoresOfRow(
      [
        { ...OSLO, zone },
        { ...BERGEN, zone },
      ],
      [
        { storeId: '42', number: '101', stockId: '12', until },
        { storeId: '43', number: '77', stockId: '13', until },
      ],
    )
    const row = (day: string, body: object) => ({ place: '101', day, body: { ...body } })
    expect(storesOf(row('2026-11-09', { soldAt: '2026-11-09T14:00:00' }))).toEqual(['42'])
    expect(storesOf(row('2026-11-10', { soldAt: '2026-11-10T01:29:00' }))).toEqual(['42'])
    expect(storesOf(row('2026-11-10', { settledAt: '2026-11-10T01:31:00' }))).toEqual(['43'])
    expect(storesOf(row('2026-11-12', { soldAt: '2026-11-12T14:00:00' }))).toEqual(['43'])
    expect(storesOf(row('2026-11-10', {}))).toEqual(['42', '43'])
  })
})
