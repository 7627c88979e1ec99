import { expect, test } from 'vitest'
import { breakBetween, inOrder } from '../../../../src/domain/completeness/pos.ts'
import { eveningOf, report } from './given.ts'

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
