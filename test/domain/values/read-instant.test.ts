import { expect, test } from 'vitest'
import { readInstant } from '../../../src/domain/values/instant.ts'

const NOW = Date.parse('2026-11-27T12:00:00Z')

test.each([
  ['45s', '2026-11-27T11:59:15.000Z'],
  ['45m', '2026-11-27T11:15:00.000Z'],
  ['2h', '2026-11-27T10:00:00.000Z'],
  ['3d', '2026-11-24T12:00:00.000Z'],
  // Longer ago than there is time: from the first of all.
  ['999999999d', '1970-01-01T00:00:00.000Z'],
  ['2026-11-20T08:00Z', '2026-11-20T08:00:00.000Z'],
  ['2026-11-20 08:00:01+01:00', '2026-11-20T07:00:01.000Z'],
  ['2026-11-20T08:00:01.250-03:30', '2026-11-20T11:30:01.250Z'],
  ['2028-02-29', new Date(2028, 1, 29).toISOString()],
  ['2026-11-20T08:00', new Date(2026, 10, 20, 8).toISOString()],
])('When a person writes %s, then it is %s', (text, instant) => {
  expect(new Date(readInstant(text, NOW) ?? Number.NaN).toISOString()).toBe(instant)
})

test.each([
  ...[
    '',
    '2',
    '12',
    '-2',
    '+2',
    '1.2',
    '5/6',
    '0',
    '2026',
    '2026-11',
    '2 h',
    '2H',
    '2w',
    '500ms',
    'now',
    'Nov 20 2026',
  ],
  ...['2026-02-29', '2026-11-31', '2026-13-01', '2026-00-10', '2026-11-20T', '2026-11-20T8:00', '2026-11-20T24:00Z'],
  ...['2026-11-20T08:60Z', '2026-11-20T08:00 01:00', '2026-11-20T08:00+25:00', '2026-11-20Z', '20261120'],
])('When a person writes "%s", then it is no time', (text) => {
  expect(readInstant(text, NOW)).toBeNull()
})
