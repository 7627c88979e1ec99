import { describe, expect, test } from 'vitest'
import { createMask, describeRefusal, retryAfter } from '../../src/lib/http/http-verdict.ts'

const ORDER = {
  orderNo: 'W-1001',
  customer: { name: 'Kari Nordmann', email: 'kari.nordmann@example.com', phone: '+47 91 23 45 67' },
  lines: [{ gtin: '7038010009457', price: '349.00' }],
}

/** What is kept where the order is sent and refused so. */
function said(body: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }): string {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const request = { path: '/orders?who=Ola', body: Buffer.from(JSON.stringify(ORDER)) }
  return describeRefusal({ status: 400, headers, body: bytes, complete: true }, request)
}

describe('the code of a refusal', () => {
  test.each([
    ['WordPress', { code: 'rest_no_route', message: 'No route was found.' }, 'rest_no_route'],
    ['a number', { code: 21211, message: "The 'To' number +4791234567 is not valid." }, '21211'],
    ['RFC 6749', { error: 'invalid_client', error_description: 'for Kari' }, 'invalid_client'],
    [
      'RFC 9457',
      { type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1', title: 'Kari Nordmann is unknown', status: 400 },
      'https://tools.ietf.org/html/rfc9110#section-15.5.1',
    ],
    ['one member deeper', { error: { code: 'blocked', message: 'Kari' } }, 'blocked'],
    ['odata', { 'odata.error': { code: 'E7', message: { value: 'Too many days.' } } }, 'E7'],
    [
      'GraphQL',
      { errors: [{ message: 'no Kari', path: ['customer'], extensions: { code: 'FORBIDDEN' } }, { code: 'X1' }] },
      'FORBIDDEN, X1 (customer)',
    ],
    ['in a list', [{ errorCode: 'E_STOCK', message: 'Kari' }], 'E_STOCK'],
    ['in other case', { Code: 'InvalidGtin', Message: 'Kari' }, 'InvalidGtin'],
  ])('When it is that of %s, then it is kept, and its words are not', (_, body, kept) => {
    expect(said(body)).toBe(kept)
  })

  test.each([
    ['an e-mail address', { code: 'kari@example.com' }],
    ['a telephone number', { code: '+4791234567' }],
    ['a telephone number without its plus', { error: '91-23-45-67' }],
    ['a number as long as a telephone number', { code: 91234567 }],
    ['a sentence', { error: 'Kari Nordmann has no such order' }],
    ['a value that was sent', { error: 'W-1001' }],
    ['a word of a value that was sent', { error: 'nordmann', type: 'kari.nordmann' }],
    ['a value of the query', { error: 'Ola' }],
    ['a line of its own', { code: 'x\ny' }],
    ['a text that turns the line around', { code: 'x\u202Ey' }],
  ])('When it is %s, then it is none', (_, body) => {
    expect(said(body)).toBe(`application/json, ${Buffer.byteLength(JSON.stringify(body))} bytes`)
  })
})

describe('the fields that a refusal is about', () => {
  test.each([
    ['WooCommerce', { code: 'rest_invalid_param', data: { params: { 'billing.email': 'Kari?' } } }, 'billing.email'],
    ['ASP.NET', { type: 'bad', errors: { '$.lines[0].price': ['349,00 is none'] } }, '$.lines[0].price'],
    ['its older form', { code: 'bad', ModelState: { 'order.customer.email': ['x'] } }, 'order.customer.email'],
    ['FastAPI', { code: 'bad', detail: [{ loc: ['body', 'lines', 0, 'gtin'], msg: 'x' }] }, 'body.lines.0.gtin'],
    ['JSON:API', { code: 'bad', errors: [{ source: { pointer: '/data/name' }, detail: 'Kari' }] }, '/data/name'],
    ['Stripe', { error: { code: 'bad', param: 'receipt_email' } }, 'receipt_email'],
    ['Bean Validation', { code: 'bad', violations: [{ field: 'price' }, { field: 'price' }] }, 'price'],
  ])('When they are listed as %s does, then they are kept, and what is in them is not', (_, body, kept) => {
    expect(said(body)).toMatch(new RegExp(` \\(${kept.replace(/[$[\].]/g, '\\$&')}\\)$`))
  })

  test('When a name is somebody’s data, then it is none', () => {
    const errors = {
      'kari.nordmann@example.com': 'x',
      'Kari Nordmann': 'x',
      '4791234567': 'x',
      Nordmann: 'x',
      gtin: 'x',
    }
    expect(said({ code: 'bad', errors })).toBe('bad (gtin)')
  })

  test('When its words name fields of what was sent, then these are kept in their place', () => {
    expect(said('The price of Kari Nordmann has no GTIN', {})).toBe('38 bytes; it names gtin, price')
    expect(said({ message: 'phone +47 91 23 45 67 of Kari is none' })).toMatch(
      /^application\/json, \d+ bytes; it names phone$/,
    )
  })
})

describe('a refusal that says it all back', () => {
  test.each([
    ['as JSON', { error: 'invalid', received: ORDER }, 'invalid'],
    ['as an error', { error: { code: 'invalid', ...ORDER } }, 'invalid'],
    ['as text', `no: ${JSON.stringify(ORDER)}`, ''],
    ['as HTML', `<p>${ORDER.customer.name}, ${ORDER.customer.phone}</p>`, ''],
    ['as names', { errors: ORDER.customer }, ''],
    ['cut', JSON.stringify({ error: 'invalid', received: ORDER }).slice(0, -3), ''],
  ])('When it does so %s, then nothing of the customer is kept', (_, body, code) => {
    const kept = said(body)
    expect(kept).not.toMatch(/kari|nordmann|example\.com|91 ?23/i)
    expect(kept.startsWith(code)).toBe(true)
  })

  test('When it is nested without end, or very long, then it is read all the same', () => {
    expect(said('['.repeat(30_000) + ']'.repeat(30_000))).toBe('application/json, 60000 bytes')
    expect(said(JSON.stringify({ code: 'late', words: 'x'.repeat(100_000) }))).toMatch(/^application\/json, \d+ bytes$/)
  })
})

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

test.each([
  ['as it is', 'key abcdefgh?', ['abcdefgh'], 'key ***?'],
  ['more than once', 'abcdefgh, abcdefgh', ['abcdefgh'], '***, ***'],
  ['URL-encoded', 'x=a%26b%3Dc%2Fd', ['a&b=c/d'], 'x=***'],
  ['escaped in JSON', String.raw`{"x":"a\"b\\c"}`, [String.raw`a"b\c`], '{"x":"***"}'],
  ['without its scheme', 'token abcdefgh', ['Bearer abcdefgh'], 'token ***'],
  ['decoded from Basic', 'password s3cr3t!', [`Basic ${btoa('me:s3cr3t!')}`], 'password ***'],
  ['within a longer secret', 'abcdefgh-2', ['abcdefgh', 'abcdefgh-2'], '***'],
  ['cut off at the end of the text', 'bad key abcde', ['abcdefgh'], 'bad key ***'],
  ['not at all, if too short to be one', 'version 2', ['2', ''], 'version 2'],
  ['not at all, if it is only the scheme', 'Bearer needed', ['Bearer abcdefgh'], 'Bearer needed'],
])('A secret is taken out %s', (_, text, secrets, expected) => {
  expect(createMask(secrets)(text)).toBe(expected)
})
