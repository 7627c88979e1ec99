import { describe, expect, test } from 'vitest'
import { isNotFound, PermanentError, RetryLaterError } from '../../../src/domain/values/errors.ts'
import { isWithin, maskedAddress, maskedName, pluralize } from '../../../src/domain/values/text.ts'
import { growth, LINEAR } from '../../growth.ts'

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
  expect(isNotFound(new PermanentError('gone', { code: 'http-404' }))).toBe(true)
  expect(isNotFound(new PermanentError('gone', { code: 'http-410' }))).toBe(false)
  expect(isNotFound(new PermanentError('gone'))).toBe(false)
  expect(isNotFound(new RetryLaterError('gone', { code: 'http-404' }))).toBe(false)
})

test.each([
  [1, 'gap', '1 gap'],
  [0, 'gap', '0 gaps'],
  [2, 'delivery', '2 deliveries'],
  [2, 'day', '2 days'],
])('When %s of a %s are counted, then they are %s', (count, noun, said) => {
  expect(pluralize(count, noun)).toBe(said)
})

test('When a plural is not regular, then it is the one that was given', () => {
  expect([pluralize(1, 'person', 'people'), pluralize(2, 'person', 'people')]).toEqual(['1 person', '2 people'])
})

test('when a text has another in it, then it is found, but for one that is no name of anything', () => {
  expect(isWithin('Blue', 'T-shirt, Blue')).toBe(true)
  expect(isWithin('Red', 'T-shirt, Blue')).toBe(false)
  expect(isWithin('', 'T-shirt')).toBe(true)
  expect(isWithin('a'.repeat(201), 'a'.repeat(300))).toBe(false)
})

test('when both texts are made to detain it, then it takes linear time', () => {
  const half = (size: number) => 'a'.repeat(size / 4)

  expect(
    growth(
      40_000,
      (size) => ({ part: `${half(size)}b${half(size)}`, text: 'a'.repeat(size) }),
      ({ part, text }) => isWithin(part, text),
    ),
  ).toBeLessThan(LINEAR)
})
