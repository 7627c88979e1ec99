import { describe, expect, test } from 'vitest'
import type { StoredMirrorRow } from '../../../src/domain/catalogue/mirror.ts'
import {
  breakBetween,
  checkPos,
  compareReport,
  counts,
  differences,
  inOrder,
  NEW_POS,
  type PosMemory,
  readReceipt,
  readReport,
} from '../../../src/domain/completeness/pos.ts'
import { beginningOf, instantsOf, provenBy, zonesOf } from '../../../src/domain/completeness/source-record.ts'
import { whyShort } from '../../../src/jobs/reconciliation/list.ts'
import { decimal, eveningOf, MEANINGS, receipt, report } from './pos/given.ts'

const HOUR = 3_600_000
const ZONE = 'Europe/Oslo'
const RULES = { patience: HOUR / 2 }
const POS = { place: '101', posId: '421', storeId: '42', zone: ZONE }

/** A look at the reports of some days, where the receipts of these days have come. */
function look(days: readonly number[], sold: readonly number[], memory: PosMemory = NEW_POS, isWatched = true) {
  const last = Math.max(...days)
  return checkPos({
    reports: days.map((day) => report(day)),
    receipts: sold.map((day) => receipt(day)),
    pos: POS,
    memory,
    isWatched,
    rules: RULES,
    now: eveningOf(last) + 5 * HOUR,
  })
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

test('when a receipt of a report lacks, then that is a gap', () => {
  expect(look(upTo(3), upTo(2)).gaps).toMatchObject([
    { cause: 'uncounted', evidence: { pos: { z: 3, missingReceipts: '1', difference: '100' } } },
  ])
})

test('when a report was judged before, then it is remembered', () => {
  const first = look(upTo(5), upTo(5))
  const again = look(upTo(6), upTo(6), first.memory)
  expect(again.memory).toMatchObject({ done: upTo(6).map((day) => `s${day}`) })
  expect(again.until).toBe(eveningOf(6))
})

test('when a POS that nobody knew begins in the middle of something, then the proof begins behind it', () => {
  const { gaps, memory, judged } = look([7, 8], [8], NEW_POS, false)
  expect(gaps).toEqual([])
  // Nothing was held against anything at the first: a gap that an older look found there stays.
  expect(judged).toEqual(['s8'])
  expect(memory).toMatchObject({ begins: eveningOf(7) })
})

test('when an old gap is looked at again, and the report before it is not read, then it is a gap all the same', () => {
  const { memory } = look(upTo(20), [...upTo(8), ...upTo(20).slice(9)])
  const again = look(upTo(20).slice(8), upTo(20).slice(9), memory)
  expect(again.gaps).toMatchObject([{ evidence: { pos: { z: 9 } } }])
  expect(again.memory.done).not.toContain('s9')
  // That the eighth was before it, this look has not seen.
  expect(again.linked).not.toContain('s9')
  expect(again.linked).toContain('s10')
})

test('when a new POS stands in a store that is watched, then its first report is judged as any', () => {
  expect(look([1], [], NEW_POS, true).gaps).toMatchObject([{ cause: 'uncounted' }])
  expect(look([1], [], NEW_POS, false).gaps).toEqual([])
})

test('when the reports of before are not read any more, then the newest of them is still remembered', () => {
  const { memory } = look(upTo(3), upTo(3))
  const { gaps } = look([5, 6], [5, 6], memory)
  expect(gaps).toMatchObject([{ evidence: { pos: { zBefore: 3, missing: 4 } }, at: eveningOf(3) }])
})

test('when a POS rests for weeks, and its next report waits for the rest of it, then what lacks before it is found all the same', () => {
  const { memory } = look(upTo(3), upTo(3))
  const next = { number: 6 }
  const lookAt = (isWhole: boolean, before: PosMemory) =>
    checkPos({
      reports: [report(27, { ...next, hasPayments: isWhole })],
      receipts: [receipt(27)],
      pos: POS,
      memory: before,
      isWatched: true,
      rules: RULES,
      now: eveningOf(27) + 5 * HOUR,
    })
  const pushed = lookAt(false, memory)
  expect(pushed).toMatchObject({ waits: true, gaps: [] })
  const { gaps, linked } = lookAt(true, pushed.memory)
  expect(gaps).toMatchObject([{ cause: 'z-missing', evidence: { pos: { missing: '4 to 5' } }, at: eveningOf(3) }])
  expect(linked).toEqual(['s27'])
})

test('when a report was pushed in part, then it waits for the rest, and is judged by what there is after that', () => {
  const thin = report(2, { hasPayments: false })
  const asked = { receipts: [receipt(2)], patience: 0, isFirst: false }
  expect(compareReport(thin, { ...asked, now: eveningOf(2) + 12 * HOUR })).toEqual({ is: 'waits' })
  expect(compareReport(thin, { ...asked, now: eveningOf(2) + 48 * HOUR })).toEqual({ is: 'balanced' })
})

test('when a report says nothing to hold receipts against, then it is never called balanced', () => {
  const mute = report(2, { receipts: null, sold: null })
  const asked = { receipts: [], patience: 0, isFirst: false }
  expect(compareReport(mute, { ...asked, now: eveningOf(9) })).toEqual({ is: 'waits' })
})

test('when one report waits, then those behind it are judged, and the proof ends before it', () => {
  const reports = [report(1), report(2, { hasPayments: false }), report(3)]
  const { until, waits, judged } = checkPos({
    reports,
    receipts: [1, 2, 3].map((day) => receipt(day)),
    pos: POS,
    memory: NEW_POS,
    isWatched: false,
    rules: RULES,
    now: eveningOf(3) + HOUR,
  })
  expect({ until, waits, judged }).toEqual({ until: eveningOf(1), waits: true, judged: ['s1', 's3'] })
})

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
  expect(readReport(thin, MEANINGS, ZONE)).toMatchObject({ number: 90, receipts: 12, hasPayments: false })
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
  expect(readReceipt({ body: sale }, ZONE)).toEqual({ posId: '421', no: 1001, at: '2026-11-20T10:00:00', total: '125' })
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

const OSLO = ['Europe/Oslo']
const at = (text: string) => Date.parse(text)
const iso = (instant: number) => new Date(instant).toISOString()

test('when a wall clock shows an hour that comes twice, or stores are in several zones, then it means several instants', () => {
  const twice = instantsOf('2026-10-25T02:30:00', OSLO)
  expect([iso(twice.earliest), iso(twice.latest)]).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'])
  const two = instantsOf('2026-11-20T12:00:00', ['Europe/Oslo', 'Europe/Helsinki'])
  expect([iso(two.earliest), iso(two.latest)]).toEqual(['2026-11-20T10:00:00.000Z', '2026-11-20T11:00:00.000Z'])
  const exact = instantsOf('2026-11-20T12:00:00+01:00', ['Europe/Helsinki'])
  expect(exact.earliest).toBe(exact.latest)
  expect(zonesOf([{ zone: null }])).toHaveLength(2)
  expect(zonesOf([])).toHaveLength(2)
})

test('when days were read, then they prove from where the first has begun everywhere to where the next begins anywhere', () => {
  const zones = ['Europe/Oslo', 'Europe/Helsinki']
  const ranges = provenBy(['2026-11-21', '2026-11-20', '2026-11-23'], zones, at('2026-11-23T12:00:00Z'))
  expect(ranges.map(({ from, to }) => [iso(from), iso(to)])).toEqual([
    ['2026-11-19T23:00:00.000Z', '2026-11-21T22:00:00.000Z'],
    ['2026-11-22T23:00:00.000Z', '2026-11-23T12:00:00.000Z'],
  ])
  expect(provenBy(['2026-11-20'], OSLO, at('2026-11-19T12:00:00Z'))).toEqual([])
  expect(beginningOf('2026-11-20', OSLO)).toEqual({ first: at('2026-11-19T23:00Z'), all: at('2026-11-19T23:00Z') })
})

test('when a list lacks what events told of, then it is not believed, but for a few sales that may be void', () => {
  expect(whyShort(100, 1, { listed: 99, voids: false })).toContain('lacks 1 of 100')
  expect(whyShort(100, 0, { listed: 100, voids: false })).toBeNull()
  expect(whyShort(100, 20, { listed: 80, voids: true })).toBeNull()
  expect(whyShort(100, 21, { listed: 79, voids: true })).not.toBeNull()
  expect(whyShort(4, 2, { listed: 2, voids: true })).toBeNull()
  expect(whyShort(1, 1, { listed: 0, voids: true })).not.toBeNull()
})

test('When a report does not say when its first sale was, then what lacks in it may be of any time since the report before it', () => {
  const found = checkPos({
    reports: [report(1), report(2, { from: null })],
    receipts: [receipt(1)],
    pos: POS,
    memory: NEW_POS,
    isWatched: true,
    rules: RULES,
    now: eveningOf(2) + 5 * HOUR,
  })
  expect(found.gaps).toMatchObject([{ cause: 'uncounted', at: eveningOf(1) }])
})

test('When the time zone of a store is not known, then nothing is proven that may lie before or after its reports', () => {
  const row = {
    ...{ key: 's1', place: '101' },
    body: { posId: '421', settledAt: '2026-11-01T20:00:00', from: '2026-11-01T10:00:00', to: '2026-11-01T18:00:00' },
  } as unknown as StoredMirrorRow
  const read = readReport(row, MEANINGS, null)
  // It is this time on Kiritimati first.
  expect(read?.closedAt).toBe(Date.parse('2026-11-01T06:00:00Z'))
  const { memory } = checkPos({
    reports: [report(1, { closedAt: read?.closedAt ?? 0 })],
    receipts: [receipt(1)],
    pos: { ...POS, zone: null },
    memory: NEW_POS,
    isWatched: true,
    rules: RULES,
    now: eveningOf(3),
  })
  // And on Baker Island last.
  expect(memory.begins).toBe(Date.parse('2026-11-01T22:00:00Z'))
})
