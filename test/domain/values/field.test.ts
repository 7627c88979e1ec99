import { describe, expect, test } from 'vitest'
import { completes } from '../../../src/domain/queue/dedupe.ts'
import { isNotFound, PermanentError, RetryLaterError } from '../../../src/domain/values/errors.ts'
import { field, text } from '../../../src/domain/values/field.ts'
import { homeSpellings, phoneOf, readTypedPhone, splitPhone } from '../../../src/domain/values/phone.ts'
import { isWithin, maskedAddress, maskedName, pluralize } from '../../../src/domain/values/text.ts'
import { growth, LINEAR } from '../../growth.ts'

/** `abcdefghijklmnop` with the bits of a number as capitals: keys that differ in nothing but case. */
function inCase(bits: number): string {
  return [...'abcdefghijklmnop'].map((letter, at) => (bits & (1 << at) ? letter.toUpperCase() : letter)).join('')
}

function objectOf(count: number, key: (index: number) => string): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [key(index), 7]))
}

describe('fields of objects of any size', () => {
  test.each([3, 32, 33, 5_000])('when an object has %d keys, then each is found in whatever case', (count) => {
    const record = objectOf(count, (index) => `Key${index}`)

    for (const name of ['Key2', 'key2', 'KEY2']) expect(field(record, name)).toBe(7)
    expect(field(record, 'key')).toBeUndefined()
    expect(field(record, 'toString')).toBeUndefined()
  })

  for (const count of [2, 40] as const)
    test(`when several of ${count} differ in case, then the one as documented counts, else the first`, () => {
      const record = { ...objectOf(count, (index) => `other${index}`), TOTAL: 1, Total: 2, total: 3 }

      expect(field(record, 'total')).toBe(3)
      expect(field(record, 'Total')).toBe(2)
      expect(field(record, 'ToTaL')).toBe(1)
    })

  test('when a thousand names are looked for among many keys, then each key is read once', () => {
    const ask = (record: object) => Array.from({ length: 1_000 }, (_, index) => field(record, `key${index}`))

    expect(growth(4_000, (size) => objectOf(size, (index) => `Key${index}`), ask)).toBeLessThan(LINEAR)
  })

  test('when two payloads have the same keys in other case, then they are compared in linear time', () => {
    const pair = (size: number) => [objectOf(size, inCase), objectOf(size, (index) => inCase(0xffff - index))] as const

    expect(growth(4_000, pair, ([one, other]) => completes(one, other))).toBeLessThan(LINEAR)
  })

  test('when thousands of values are compared with one long text, then it is not read as a number each time', () => {
    const pair = (size: number) => [{ abcdefghijklmnop: '0'.repeat(size * 8) }, objectOf(size, inCase)] as const

    expect(growth(4_000, pair, ([one, other]) => completes(one, other))).toBeLessThan(LINEAR)
  })
})

test('When a field is text or a number that there is, then it is text; anything else is none', () => {
  const of = (found: unknown) => text({ Name: found }, 'name')
  expect([of(' a '), of(7), of(0)]).toEqual(['a', '7', '0'])
  expect([of(' '), of(JSON.parse('1e999')), of(true), of(null), of({}), text(null, 'name')]).toEqual(
    Array(6).fill(null),
  )
})

const COUNTRIES = ['NO', 'SE', 'DK', 'FI', 'DE', 'GB']

describe('a number of a record', () => {
  test.each([
    ['47', '912 34 567', null, '+4791234567'],
    ['+47', '91234567', null, '+4791234567'],
    ['0047', '91234567', 'SE', '+4791234567'],
    ['47', '4791234567', null, '+4791234567'],
    ['46', '070-123 45 67', null, '+46701234567'],
    ['44', '(0)7911 123456', null, '+447911123456'],
    [null, '+47 912 34 567', 'SE', '+4791234567'],
    [null, '0046 70 123 45 67', 'NO', '+46701234567'],
    [null, '070-123 45 67', 'SE', '+46701234567'],
    ['39', '06 6982 1234', null, '+390669821234'],
  ])('prefix %s, phone %s, country %s is %s', (prefix, phone, country, expected) => {
    expect(phoneOf(prefix, phone, country)).toBe(expected)
  })

  test.each([
    [null, null, null, null],
    ['47', '', null, null],
    [null, '912 34 567', null, '91234567'],
    ['47', '12', null, '12'],
    [null, '91234567', 'Norway', '91234567'],
    ['2026-99-99', '91234567', null, '91234567'],
  ])('which cannot be read (prefix %s, phone %s, country %s) stays as %s', (prefix, phone, country, expected) => {
    expect(phoneOf(prefix, phone, country)).toBe(expected)
  })

  test('is split as the platform has one, and spelled as people at home do', () => {
    expect(splitPhone('+46701234567')).toEqual({ prefix: '46', number: '701234567' })
    expect(splitPhone('91234567')).toEqual({ prefix: null, number: '91234567' })
    expect(splitPhone(null)).toEqual({ prefix: null, number: null })
    expect(homeSpellings('+46701234567')).toEqual(['701234567', '0701234567'])
  })
})

describe('a number that somebody types', () => {
  test('names its country: then it is that number alone', () => {
    expect(readTypedPhone('+45 20 12 34 56', COUNTRIES)).toEqual({ numbers: ['+4520123456'], typed: '4520123456' })
    // An unescaped plus of a query is a blank.
    expect(readTypedPhone(' 4520123456', COUNTRIES)?.numbers).toEqual(['+4520123456'])
  })

  test('names none: the likeliest country comes first, by the order of config and by what is dialled there', () => {
    expect(readTypedPhone('91234567', COUNTRIES)?.numbers[0]).toBe('+4791234567')
    expect(readTypedPhone('91234567', ['DK', 'NO'])?.numbers.slice(0, 2)).toEqual(['+4591234567', '+4791234567'])
    // No number of Norway begins so, and a Swedish one is not dialled without its zero.
    expect(readTypedPhone('20123456', COUNTRIES)?.numbers[0]).toBe('+4520123456')
    expect(readTypedPhone('4791234567', COUNTRIES)?.numbers[0]).toBe('+4791234567')
  })

  for (const text of [
    '1234',
    'Kari 91234567',
    '1'.repeat(21),
    '91234567 x12',
    '+',
    '12:34:56',
    '++4791234567',
  ] as const)
    test(`is none: ${text}`, () => {
      expect(readTypedPhone(text, COUNTRIES)).toBeNull()
    })
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
