import { expect, test } from 'vitest'
import { parseDuration, parseSize } from '../../src/config/sections.ts'
import { suggest } from '../../src/lib/suggest.ts'

test.each([
  ['800ms', 800],
  ['20s', 20_000],
  ['5m', 300_000],
  ['24h', 86_400_000],
  ['90d', 7_776_000_000],
  ['0s', 0],
])('when a duration is written as %s, then it is %i milliseconds', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds)
})

test.each(['', '20', 's', '1.5h', '-1s', '20 s', '20S', '1w', '1s2', '9999999999s'])(
  'when %j is written, then it is no duration',
  (text) => {
    expect(parseDuration(text)).toBeNull()
  },
)

test.each([
  ['512b', 512],
  ['10kb', 10_240],
  ['64mb', 67_108_864],
  ['1GB', 1_073_741_824],
])('when a size is written as %s, then it is %i bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes)
})

test.each(['', '64', 'mb', '1.5mb', '64 mb', '64m', '-1kb'])('when %j is written, then it is no size', (text) => {
  expect(parseSize(text)).toBeNull()
})

test.each([
  ['prot', 'port'],
  ['adminTokn', 'adminToken'],
  ['admintoken', 'adminToken'],
  ['publicURL', 'publicUrl'],
  ['hots', 'host'],
  ['timeout', null],
  ['x', null],
])('when %s is written, then %s was meant', (written, meant) => {
  expect(suggest(written, ['port', 'host', 'publicUrl', 'adminToken', 'maxBody'])).toBe(meant)
})
