import { expect, test } from 'vitest'
import { checkPos, compareReport, NEW_POS, type PosMemory } from '../../../../src/domain/completeness/pos.ts'
import { eveningOf, receipt, report } from './given.ts'

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
