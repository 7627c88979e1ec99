import { expect, test } from 'vitest'
import { isSameClock, learnAhead, NARROW } from '../../../src/domain/ledger/log-clock.ts'

const MINUTE = 60_000
const from = Date.parse('2026-11-20T12:00:00Z')
const asked = { from, to: from + NARROW }

test.each([
  ['what was asked for', [from, from + 5 * MINUTE, from + NARROW], true],
  ['the tenth of a second besides', [from - 90, from + NARROW + 90], true],
  ['nothing', [], null],
  ['another quarter of an hour', [from + 15 * MINUTE], false],
  ['another hour, by a clock that is ahead', [from - 60 * MINUTE], false],
  ['the whole day', [from - 600 * MINUTE, from + MINUTE, from + 300 * MINUTE], false],
])('when a narrow question is answered with %s, then that tells whose clock it is', (_, answer, is) => {
  expect(isSameClock(asked, answer)).toBe(is)
})

test('when a question is not narrow, then its answer does not tell', () => {
  expect(isSameClock({ from, to: from + 15 * MINUTE }, [from])).toBeNull()
})

test('when webhooks come before they arose by the log, then so far ahead it is, in quarters of an hour, and so it is taken for a while', () => {
  const HOUR = 60 * MINUTE
  const NOW = 100 * HOUR
  const by = (...latenesses: number[]) => learnAhead(null, latenesses, NOW)?.by
  expect([by(3_000), by(-4 * MINUTE, 9_000), by(-HOUR + 2_000), by(-2 * HOUR + 9_000, 5 * HOUR)]).toEqual([
    0,
    0,
    HOUR,
    2 * HOUR,
  ])
  expect(learnAhead(null, [], NOW)).toBeNull()
  const summer = { by: 2 * HOUR, at: NOW }
  expect(learnAhead(summer, [], NOW + 24 * HOUR)).toEqual(summer)
  // Clocks went back: what was written before that is still to be looked at.
  expect(learnAhead(summer, [-HOUR], NOW + HOUR)).toEqual(summer)
  expect(learnAhead(summer, [-HOUR], NOW + 7 * HOUR)).toEqual({ by: HOUR, at: NOW + 7 * HOUR })
  expect(learnAhead({ by: HOUR, at: NOW }, [-2 * HOUR], NOW + 1)).toEqual({ by: 2 * HOUR, at: NOW + 1 })
})
