import { describe, expect, test } from 'vitest'
import { counts, differences } from '../../../../src/domain/completeness/pos.ts'
import { decimal, receipt, report } from './given.ts'

test('when the receipts are what the POS has counted, then nothing differs', () => {
  expect(differences(report(1), [receipt(1)])).toEqual([])
})

test('when one lacks, then the count and the total say so', () => {
  expect(differences(report(1), [])).toEqual([
    { what: 'receipts', pos: '1', here: '0' },
    { what: 'total', pos: '100', here: '0' },
  ])
})

test('when a receipt of another total is here in the place of one, then the total says so', () => {
  expect(differences(report(1), [receipt(1, { total: decimal(1) })])).toEqual([
    { what: 'total', pos: '100', here: '1' },
  ])
})

test('when a POS does not say something, then it is not compared', () => {
  expect(differences(report(1, { receipts: null, sold: null }), [])).toEqual([])
})

describe('which receipts a report counts', () => {
  test('when it has numbers, then those with one of them, unless they are of another time', () => {
    const numbered = report(1, { numbers: { from: 5, to: 7 } })
    const is = (no: number, day = 1) => counts(numbered, receipt(day, { no }))
    expect([4, 5, 7, 8].map((one) => is(one))).toEqual([false, true, true, false])
    expect(is(6, 2)).toBe(false)
  })

  test('when it has none, then those from its first sale to its last', () => {
    const is = (at: string) => counts(report(1), receipt(1, { at: `2026-11-01T${at}` }))
    expect(['09:59:59', '10:00:00', '18:00:00', '18:00:01'].map(is)).toEqual([false, true, true, false])
    expect(counts(report(1, { from: null, to: null }), receipt(1))).toBe(false)
  })
})
