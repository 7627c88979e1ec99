import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseTemplate } from '../../../src/adapters/wording/template.ts'
import { often } from '../../../test/often.ts'
import {
  composeText,
  countParts,
  RECEIPT_FIELDS,
  readPhoneNumber,
  type TextValues,
  textValuesOf,
} from '../src/sms-http.ts'
import { receiptMessage } from './send.ts'

describe('how many messages a text needs', () => {
  test.each<[string, string, number]>([
    ['nothing', '', 1],
    ['160 places', 'a'.repeat(160), 1],
    ['161 places', 'a'.repeat(161), 2],
    ['306 places', 'a'.repeat(306), 2],
    ['307 places', 'a'.repeat(307), 3],
    ['150 Nordic and Greek letters and signs', 'æøåÆØÅäöüÄÖÜñßéàΔΩ@£$¥§¿¡'.repeat(6), 1],
    ['80 signs of two places', '€'.repeat(80), 1],
    ['81 signs of two places', '€'.repeat(81), 2],
    ['each sign of two places', '^{}\\[~]|€\f'.repeat(8), 1],
    // 152 places and a sign of two: it may not be cut, so the first message stays one place short.
    ['a sign of two places at the edge', `${'a'.repeat(152)}€${'a'.repeat(152)}`, 3],
    ['the same one place earlier', `${'a'.repeat(151)}€${'a'.repeat(153)}`, 2],
    ['70 characters, one beyond GSM', `ł${'a'.repeat(69)}`, 1],
    ['71 characters, one beyond GSM', `ł${'a'.repeat(70)}`, 2],
    ['134 characters, one beyond GSM', `ł${'a'.repeat(133)}`, 2],
    ['135 characters, one beyond GSM', `ł${'a'.repeat(134)}`, 3],
    ['35 emojis', '🫐'.repeat(35), 1],
    ['36 emojis', '🫐'.repeat(36), 2],
    // 67 places hold 33 emojis: one is not cut in two.
    ['67 emojis', '🫐'.repeat(67), 3],
    ['a small ç, which GSM has only as a capital', `ç${'a'.repeat(70)}`, 2],
    ['a backtick, which GSM does not have', '`'.repeat(71), 2],
  ])('When it has %s, then they are counted', (_, text, parts) => {
    expect(countParts(text)).toBe(parts)
  })
})

describe('the words', () => {
  const LINK = 'https://receipts.example.com/r/7f3c2a'
  const known: TextValues = { store: 'Nordlys', link: LINK, receipt: '1001', total: '349.00 NOK' }

  function compose(given: Partial<TextValues>, text = 'Receipt from {{store}}, {{total}}: {{link}}') {
    const read = (words: string) => parseTemplate(words, RECEIPT_FIELDS)
    const wording = { text: read(text), shortText: read('Receipt: {{link}}') }
    return composeText({ ...known, ...given }, wording)
  }
  const linkOf = (length: number) => `${LINK}/`.padEnd(length, 'x')

  test('When all fits, then all is said', () => {
    expect(compose({})).toEqual({ text: `Receipt from Nordlys, 349.00 NOK: ${LINK}`, parts: 1 })
  })

  test('When all of it does not fit one message, then few words stand before the link', () => {
    const store = 'Nordlys Friluft & Sport Oslo City'
    expect(compose({ store, link: linkOf(115) }).text).toBe(`Receipt: ${linkOf(115)}`)
    expect(compose({ link: linkOf(140) })).toEqual({ text: `Receipt: ${linkOf(140)}`, parts: 1 })
    expect(compose({ link: linkOf(151) })).toEqual({ text: `Receipt: ${linkOf(151)}`, parts: 1 })
  })

  test('When not even they fit, then the link stands alone; a longer one goes out in several', () => {
    expect(compose({ link: linkOf(152) })).toEqual({ text: linkOf(152), parts: 1 })
    expect(compose({ link: linkOf(160) })).toEqual({ text: linkOf(160), parts: 1 })
    expect(compose({ link: linkOf(161) })).toEqual({ text: `Receipt: ${linkOf(161)}`, parts: 2 })
  })

  test('Whatever the store is called: a link that fits is in one message, unchanged', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 80 }),
        fc.integer({ min: 40, max: 160 }),
        (store, length) => {
          const { text, parts } = compose({ store, link: linkOf(length) })
          return parts === 1 && text.endsWith(linkOf(length))
        },
      ),
    )
  })
})

describe('what a text can say of a sale', () => {
  const of = (sale: Record<string, unknown>) => textValuesOf(receiptMessage({}, sale).sale, null)

  test('The total has the coins of its currency, also when it is money back', () => {
    expect(of({ total: 349.5 }).total).toBe('349.50 NOK')
    expect(of({ total: -1200 }).total).toBe('-1200.00 NOK')
  })

  test.each([
    ['https://r.example/r/1?a=b', 'https://r.example/r/1?a=b'],
    ['HTTP://R.example', 'HTTP://R.example'],
    ['https://kvittering.example/ø 1', 'https://kvittering.example/%C3%B8%201'],
    ['ftp://r.example/1', ''],
    ['javascript:alert(1)', ''],
    ['r.example/1', ''],
    ['', ''],
  ])('The link %j is sent as %j', (receiptUrl, link) => {
    expect(of({ receiptUrl }).link).toBe(link)
  })
})

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
