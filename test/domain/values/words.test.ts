import { describe, expect, test } from 'vitest'
import { isNotThere, PermanentError, RetryLaterError } from '../../../src/domain/values/errors.ts'
import { lasting } from '../../../src/domain/values/instant.ts'
import { counted, isWithin, maskedAddress, maskedName } from '../../../src/domain/values/text.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

test.each([
  [0, '0 s'],
  [999, '0 s'],
  [SECOND, '1 s'],
  [45_900, '45 s'],
  [MINUTE, '1 min'],
  [MINUTE + 59 * SECOND, '1 min'],
  [HOUR, '1 h'],
  [3 * HOUR + 5 * MINUTE, '3 h 5 min'],
  [DAY, '1 d'],
  [2 * DAY + 4 * HOUR + 50 * MINUTE, '2 d 4 h'],
  [400 * DAY, '400 d'],
])('When %s ms are told, then they are %s', (ms, said) => {
  expect(lasting(ms)).toBe(said)
})

describe('personal data in lists', () => {
  test.each([
    ['kari@example.com', 'k…@example.com'],
    ['"a@b"@example.com', '"…@example.com'],
    ['👩‍🚀kari@example.com', '👩…@example.com'],
    ['@example', '…'],
    ['+47 912 34 567', '…567'],
    ['12', '…12'],
  ])('When an address is %s, then %s is shown', (address, shown) => {
    expect(maskedAddress(address)).toBe(shown)
  })

  test('When a person has names, then their first letters are shown; one without has none', () => {
    expect(maskedName('Kari', ' Nordmann ')).toBe('K. N.')
    expect(maskedName('Kari', null, ' ')).toBe('K.')
    expect(maskedName(null, '')).toBeNull()
  })
})

test('When the other side says 404, then what was asked for is not there; nothing else says so', () => {
  expect(isNotThere(new PermanentError('gone', { code: 'http-404' }))).toBe(true)
  expect(isNotThere(new PermanentError('gone', { code: 'http-410' }))).toBe(false)
  expect(isNotThere(new PermanentError('gone'))).toBe(false)
  expect(isNotThere(new RetryLaterError('gone', { code: 'http-404' }))).toBe(false)
})

test.each([
  [1, 'gap', '1 gap'],
  [0, 'gap', '0 gaps'],
  [2, 'delivery', '2 deliveries'],
  [2, 'day', '2 days'],
])('When %s of a %s are counted, then they are %s', (count, noun, said) => {
  expect(counted(count, noun)).toBe(said)
})

test('When a plural is not regular, then it is the one that was given', () => {
  expect([counted(1, 'person', 'people'), counted(2, 'person', 'people')]).toEqual(['1 person', '2 people'])
})

test('When one text is looked for in another, then one that is longer than any name is in none', () => {
  const long = 'x'.repeat(200)
  expect([
    isWithin('b', 'abc'),
    isWithin('d', 'abc'),
    isWithin(long, `${long}x`),
    isWithin(`${long}x`, `${long}x`),
  ]).toEqual([true, false, true, false])
})
