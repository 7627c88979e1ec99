import { describe, expect, test } from 'vitest'
import type { StoredMirrorRow } from '../../../../src/domain/catalogue/mirror.ts'
import {
  breakBetween,
  counts,
  differences,
  inOrder,
  readReceipt,
  readReport,
} from '../../../../src/domain/completeness/pos.ts'
import { decimal, eveningOf, MEANINGS, receipt, report } from './given.ts'

const ZONE = 'Europe/Oslo'

/** A settlement as the mirror has it: 12 receipts, two of them returns. */
function row(more: Record<string, unknown> = {}): StoredMirrorRow {
  const fiscal = {
    number: '17',
    registerId: '421',
    counters: { sales: '10500', returns: '500', net: '10000' },
    counts: { receipts: 10, returns: 2 },
    returned: '150',
    training: '0',
  }
  const body = {
    posId: '421',
    batchNumber: '90',
    settledAt: '2026-11-20T20:00:00.25',
    from: '2026-11-20T10:00:00',
    to: '2026-11-20T19:30:00.417',
    receiptNoFrom: '1001',
    receiptNoTo: '1012',
    grandTotal: '850',
    payments: [{ type: 'Card', subType: 'Visa', amount: '850' }],
    vatRates: [{ rate: '0.25', sales: '680', vat: '170' }],
    fiscal,
    ...more,
  }
  const about = { place: '101', article: null, day: '2026-11-20', part: null, version: 2, tie: 0, savedAt: 0 }
  return { id: 1, set: 'settlements', key: '330017', ...about, body }
}

test('when a settlement has a fiscal report, then its number, and its counts are the POS’s', () => {
  expect(readReport(row(), MEANINGS, ZONE)).toEqual({
    settlementId: '330017',
    place: '101',
    posId: '421',
    number: 17,
    closedAt: Date.parse('2026-11-20T19:00:00.250Z'),
    from: '2026-11-20T10:00:00',
    to: '2026-11-20T19:30:00',
    numbers: { from: 1001, to: 1012 },
    receipts: 12,
    sold: '850',
    hasPayments: true,
  })
})

test('when fields mean something else, then they are read so', () => {
  const read = (meanings: object) => readReport(row(), { ...MEANINGS, ...meanings }, ZONE)
  expect(read({ returns: 'among' })?.receipts).toBe(10)
  expect([read({ number: 'batch' })?.number, read({ number: 'none' })?.number]).toEqual([90, null])
})

test('when there is no fiscal report, then the numbers of receipts tell how many there are, where they run on', () => {
  const thin = row({ fiscal: null, vatRates: null, payments: null })
  expect(readReport(thin, MEANINGS, ZONE)).toMatchObject({
    number: 90,
    receipts: 12,
    hasPayments: false,
  })
  expect(readReport(thin, { ...MEANINGS, receipts: 'sparse' }, ZONE)).toMatchObject({ receipts: null })
  // Of before the hub read reports.
  expect(readReport(row({ fiscal: undefined }), MEANINGS, ZONE)).toMatchObject({ number: 90 })
})

test('when a settlement is of no POS, or does not say when, then it is no report', () => {
  expect(readReport(row({ posId: null }), MEANINGS, ZONE)).toBeNull()
  expect(readReport(row({ settledAt: null, to: 'yesterday' }), MEANINGS, ZONE)).toBeNull()
})

test('when a sale was imported, or is of no POS, then it is no receipt of one', () => {
  const sale = {
    ...{ posId: '421', receiptNo: '1001', external: false, soldAt: '2026-11-20T10:00:00.417', total: '125' },
    payments: [{ type: 'Cash', subType: 'Cash', amount: '125' }],
    lines: [{ total: '125', vatRate: '0.25' }],
  }
  expect(readReceipt({ body: sale }, ZONE)).toEqual({
    posId: '421',
    no: 1001,
    at: '2026-11-20T10:00:00',
    total: '125',
  })
  expect(readReceipt({ body: { ...sale, soldAt: '2026-11-20T09:00:00Z' } }, ZONE)?.at).toBe('2026-11-20T10:00:00')
  expect(readReceipt({ body: { ...sale, external: true } }, ZONE)).toBeNull()
  expect(readReceipt({ body: { ...sale, posId: null } }, ZONE)).toBeNull()
})

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

test('when each report follows the one before it, then nothing is wrong', () => {
  expect(breakBetween(null, report(7))).toBeNull()
  expect(breakBetween(report(1), report(2))).toBeNull()
})

test('when numbers are left out, then they are named', () => {
  expect(breakBetween(report(1), report(4))).toEqual({ cause: 'z-missing', from: 2, to: 3 })
  expect(breakBetween(report(1, { number: null }), report(4))).toBeNull()
})

test('when a number is used again, then that is told', () => {
  for (const number of [5, 3])
    expect(breakBetween(report(5), report(6, { number }))).toEqual({ cause: 'z-again', number })
})

test('when a POS was replaced, then its numbers begin anew, and nothing is wrong', () => {
  expect(breakBetween(report(340), report(341, { number: 1 }))).toBeNull()
})

test('when reports come in any order, then they are put in that in which they were made', () => {
  const days = (reports: ReturnType<typeof inOrder>) => reports.map(({ number }) => number)
  expect(days(inOrder([report(3), report(1), report(2)]))).toEqual([1, 2, 3])
})

test('when two were made in the hour that clocks show twice, then their numbers tell which was first', () => {
  const at = (number: number, time: string) => {
    const clock = `2026-10-25T${time}`
    return report(number, { closedAt: Date.parse(`${clock}Z`), from: clock, to: clock })
  }
  const reports = [at(2, '02:50:00'), at(3, '02:10:00')]
  expect(inOrder(reports).map(({ number }) => number)).toEqual([2, 3])
  expect(eveningOf(1)).toBeLessThan(eveningOf(2))
})
