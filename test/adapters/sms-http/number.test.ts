import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readPhoneNumber } from '../../../src/adapters/sms-http/sms-http.ts'
import { often } from '../../often.ts'

describe('a recipient', () => {
  test.each([
    ['47 91234567', '+4791234567'],
    ['+47 91234567', '+4791234567'],
    ['+47 91 23 45 67', '+4791234567'],
    ['47 91 23 45 67', '+4791234567'],
    ['+4791234567', '+4791234567'],
    ['004791234567', '+4791234567'],
    ['0047 912 34 567', '+4791234567'],
    ['00 47 91234567', '+4791234567'],
    ['(+47) 91234567', '+4791234567'],
    ['(47) 91234567', '+4791234567'],
    ['+47-912-34-567', '+4791234567'],
    ['+47\u00a091234567', '+4791234567'],
    ['\u202a+47 91234567\u202c', '+4791234567'],
    [' 47  91234567 ', '+4791234567'],
    ['46 070-123 45 67', '+46701234567'],
    ['+46 (0)70 123 45 67', '+46701234567'],
    ['+460701234567', '+46701234567'],
    ['45 20 12 34 56', '+4520123456'],
    ['358 040 1234567', '+358401234567'],
    ['354 611 1234', '+3546111234'],
    ['298 211234', '+298211234'],
    ['49 0151 23456789', '+4915123456789'],
    ['1 (212) 555-0123', '+12125550123'],
    ['39 345 123 4567', '+393451234567'],
    ['39 06 1234 5678', '+390612345678'],
    ['225 07 12 34 56 78', '+2250712345678'],
  ])('%j is %s', (written, e164) => {
    expect(readPhoneNumber(written)?.e164).toBe(e164)
  })

  test.each([
    ['has no country code', '91234567'],
    ['has no country code, and could be one of India', '91 23 45 67'],
    ['has no country code, and could be one of Egypt', '20 12 34 56'],
    ['has a zero in place of the country code', '070 123 45 67'],
    ['has its country code at no distance', '4791234567'],
    ['has a country code that nobody has', '+999 12345678'],
    ['has a country code that nobody has, at a distance', '210 12345678'],
    ['is too short', '+47 123'],
    ['is too long', '+47 91234567 91234567'],
    ['has letters', '+47 9123456A'],
    ['is two numbers', '+47 91234567, +47 91234568'],
    ['has two plus signs', '+47 +4791234567'],
    ['is an e-mail address', 'kari@example.com'],
    ['is empty', ''],
    ['is a plus', '+'],
  ])('When it %s, then it is no number: %j', (_, written) => {
    expect(readPhoneNumber(written)).toBeNull()
  })

  test('Whatever is written: what comes out is E.164, with no digit that was not written', () => {
    const written = fc.string({ unit: fc.constantFrom(...'0123456789 +-()./a'), maxLength: 24 })
    fc.assert(
      fc.property(written, (text) => {
        const found = readPhoneNumber(text)
        if (found === null) return true
        return /^\+[1-9]\d{7,14}$/.test(found.e164) && text.replace(/\D/g, '').endsWith(found.national)
      }),
      often(2_000),
    )
  })
})
