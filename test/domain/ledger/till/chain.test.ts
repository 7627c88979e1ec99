import { expect, test } from 'vitest'
import { breakBetween, inOrder } from '../../../../src/domain/ledger/till/till.ts'
import { decimal, eveningOf, report } from './given.ts'

test('when each report follows the one before it, and the counter grew by what was sold, then nothing is wrong', () => {
  expect(breakBetween(null, report(7))).toBeNull()
  expect(breakBetween(report(1), report(2))).toBeNull()
})

test('when numbers are left out, then they are named, with what was sold in them by the counter', () => {
  expect(breakBetween(report(1), report(4))).toEqual({ cause: 'z-missing', from: 2, to: 3, sold: '200' })
  expect(breakBetween(report(1), report(3, { counter: null }))).toEqual({
    cause: 'z-missing',
    from: 2,
    to: 2,
    sold: null,
  })
})

test('when no number is known, then the counter alone shows what is missing', () => {
  const nameless = { number: null }
  expect(breakBetween(report(1, nameless), report(2, nameless))).toBeNull()
  expect(breakBetween(report(1, nameless), report(3, nameless))).toEqual({ cause: 'sum-jumped', difference: '100' })
})

test('when a number is used again, then that is told, whatever the counter says', () => {
  expect(breakBetween(report(5), report(6, { number: 5 }))).toEqual({ cause: 'z-again', number: 5 })
  expect(breakBetween(report(5), report(6, { number: 3, counter: decimal(300) }))).toEqual({
    cause: 'z-again',
    number: 3,
  })
})

test('when a till was replaced, then its counters begin anew, and nothing is wrong', () => {
  expect(breakBetween(report(340), report(341, { number: 1, counter: decimal(100) }))).toBeNull()
  expect(breakBetween(report(340), report(341, { number: 1, counter: null }))).toBeNull()
  // Numbered anew, and the counter goes on.
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
