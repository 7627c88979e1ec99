import { expect, test } from 'vitest'
import { retryAfter } from '../../src/lib/http/http-verdict.ts'

const NOW = Date.parse('2026-03-01T12:00:00.500Z')
const DAY = 86_400_000

test.each([
  ['seconds', '120', NOW + 120_000],
  ['seconds with spaces', ' 5 ', NOW + 5_000],
  ['more than a day', '999999999', NOW + DAY],
  ['more than any number', '9'.repeat(400), NOW + DAY],
  ['an HTTP date', 'Sun, 01 Mar 2026 12:01:00 GMT', Date.parse('2026-03-01T12:01:00Z')],
  ['a date far ahead', 'Fri, 01 Jan 2100 00:00:00 GMT', NOW + DAY],
  ['the first of several', ['7', '9'], NOW + 7_000],
  ['no seconds', '0', null],
  ['a date that is over', 'Sun, 01 Mar 2026 11:59:00 GMT', null],
  ['no header', undefined, null],
  ['an empty header', '', null],
  ['less than nothing', '-5', null],
  ['a fraction of a second', '1.5', NOW + 2_000],
  ['a word', 'soon', null],
  ['a date of another form', '2026-03-02T00:00:00Z', null],
  ['a day that is none', 'Sun, 99 Mar 2026 12:01:00 GMT', null],
])('Retry-After: %s', (_, header, expected) => {
  expect(retryAfter(header, NOW)).toBe(expected)
})
