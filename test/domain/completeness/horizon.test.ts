import { expect, test } from 'vitest'
import { nearness, RETENTION, reaches } from '../../../src/domain/completeness/horizon.ts'

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
  expect(reaches({ from, now: NOW, marker })).toBe(is)
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
