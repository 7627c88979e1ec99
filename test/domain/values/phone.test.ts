import { describe, expect, test } from 'vitest'
import { homeSpellings, phoneOf, readTypedPhone, splitPhone } from '../../../src/domain/values/phone.ts'

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

  test.each(['1234', 'Kari 91234567', '1'.repeat(21), '91234567 x12', '+', '12:34:56', '++4791234567'])(
    'is none: %s',
    (text) => {
      expect(readTypedPhone(text, COUNTRIES)).toBeNull()
    },
  )
})
