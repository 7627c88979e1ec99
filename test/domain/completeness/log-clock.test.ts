import { expect, test } from 'vitest'
import {
  isSameClock,
  logReachesBack,
  NARROW,
  nearness,
  RETENTION,
  updateLogSkew,
} from '../../../src/domain/completeness/horizon.ts'

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

test('when the log shows a record that is still to come, then its clock is ahead, in quarters of an hour, and is taken to be for a week', () => {
  const HOUR = 60 * MINUTE
  const DAY = 24 * HOUR
  const NOW = 100 * DAY
  const by = (createdAt: number) => updateLogSkew(null, createdAt, NOW)?.by
  expect([by(NOW - 3_000), by(NOW + 4 * MINUTE), by(NOW + HOUR - 2_000), by(NOW + 2 * HOUR + MINUTE)]).toEqual([
    undefined,
    undefined,
    HOUR,
    2 * HOUR,
  ])
  const summer = { by: 2 * HOUR, at: NOW }
  // One that is older tells nothing.
  expect(updateLogSkew(summer, NOW, NOW + DAY)).toEqual(summer)
  // Clocks went back: what was written before that is still to be looked at.
  expect(updateLogSkew(summer, NOW + DAY + HOUR, NOW + DAY)).toEqual(summer)
  expect(updateLogSkew(summer, NOW + 8 * DAY, NOW + 8 * DAY)).toBeNull()
  expect(updateLogSkew({ by: HOUR, at: NOW }, NOW + 2 * HOUR, NOW + 1)).toEqual({ by: 2 * HOUR, at: NOW + 1 })
})

const NOW = Date.parse('2026-11-20T12:00:00Z')
const DAY = 24 * 3_600_000
const daysAgo = (days: number) => NOW - days * DAY

test.each([
  ['of which nothing was seen before, within a week', daysAgo(6), null, true],
  ['of which nothing was seen before, of longer than that', daysAgo(7), null, false],
  ['that still shows what was seen last before it', daysAgo(30), { at: daysAgo(31), isShown: true }, true],
  ['that shows it no more, though it is not a week old', daysAgo(3), { at: daysAgo(4), isShown: false }, false],
  ['that shows it no more, since it is older than a week', daysAgo(6), { at: daysAgo(8), isShown: false }, true],
  ['that shows it no more, of longer than a week', daysAgo(8), { at: daysAgo(9), isShown: false }, false],
  ['whose last record is of after it', daysAgo(6), { at: daysAgo(5), isShown: false }, true],
])('when a scan begins in a log %s, then it is known whether it reaches back', (_, from, marker, is) => {
  expect(logReachesBack({ from, now: NOW, marker })).toBe(is)
})

test.each([
  [0, 'far'],
  [0.499, 'far'],
  [0.5, 'half'],
  [0.8, 'near'],
  [1, 'passed'],
])('when %d of the time of the log is gone, then it is %s', (share, is) => {
  expect(nearness(NOW - share * RETENTION, NOW)).toBe(is)
})
