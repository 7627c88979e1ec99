import { expect, test } from 'vitest'
import { differencesOf } from '../../../src/domain/shadow/difference.ts'
import { fieldsOf, shownField } from '../../../src/domain/shadow/fields.ts'
import type { ShadowCall } from '../../../src/domain/shadow/shadow-call.ts'

function call(given: Partial<ShadowCall> = {}): ShadowCall {
  const step = { event: 1, kind: 'SaleCreated', destination: 'erp', flow: 'book-sale', part: '', entity: null }
  return { ...step, method: 'backOffice.bookSale', fields: { 'sale.total': '349' }, why: null, ...given }
}

const NOT_MADE = { method: null, fields: {}, why: 'it would be held: no VAT' }

test.each([
  ['both make the same', [call()], [call()], []],
  ['only the changed one wants it', [], [call()], [{ change: 'added', why: 'not wanted' }]],
  ['only the present one wants it', [call()], [], [{ change: 'removed', why: 'not wanted' }]],
  ['only the changed one can make it', [call(NOT_MADE)], [call()], [{ change: 'added', why: NOT_MADE.why }]],
  ['only the present one can make it', [call()], [call(NOT_MADE)], [{ change: 'removed', why: NOT_MADE.why }]],
  ['neither can, for one reason', [call(NOT_MADE)], [call(NOT_MADE)], []],
  [
    'neither can, for two reasons',
    [call(NOT_MADE)],
    [call({ ...NOT_MADE, why: 'dry run' })],
    [{ change: 'not-made', why: `dry run (before: ${NOT_MADE.why})` }],
  ],
  [
    'it is the same step of another part',
    [call()],
    [call({ part: '2' })],
    [{ change: 'added' }, { change: 'removed' }],
  ],
  [
    'they carry another amount, and one carries more',
    [call()],
    [call({ fields: { 'sale.total': '350', 'sale.posId': '3' } })],
    [
      {
        change: 'changed',
        fields: [
          { path: 'sale.total', before: '349', after: '350' },
          { path: 'sale.posId', before: null, after: '3' },
        ],
      },
    ],
  ],
  [
    'they go by another method',
    [call()],
    [call({ method: 'orders.create' })],
    [{ change: 'changed', fields: [{ path: 'the method', before: 'backOffice.bookSale', after: 'orders.create' }] }],
  ],
])('when two configs are held against each other and %s, then that is the difference', (_, before, after, expected) => {
  const found = differencesOf(before, after)

  expect(found).toHaveLength(expected.length)
  expect(found).toMatchObject(expected)
})

test('when a call is taken apart, then each leaf has its path, lists too, and bytes their size and hash', () => {
  const argument = {
    sale: { lines: [{ gtin: '709' }, {}], paid: true },
    none: null,
    left: undefined,
    body: Buffer.from('a'),
  }

  expect(fieldsOf(argument)).toEqual({
    'sale.lines.0.gtin': '709',
    'sale.lines.1': '{}',
    'sale.paid': 'true',
    none: 'null',
    body: '1 bytes (ca978112ca1b)',
  })
})

test.each([
  ['sale.total.amount', '349.50', '349.50'],
  ['sale.lines.0.gtin', '7090012340011', '7090012340011'],
  ['sale.createdAt', '2026-11-20T14:03:27', '2026-11-20T14:03:27'],
  ['body', '912 bytes (ca978112ca1b)', '912 bytes (ca978112ca1b)'],
  ['sale.customer.birthDate', '1980-01-02', '… (10 signs)'],
  ['sale.customer', 'null', 'null'],
  ['to', '4790000000', '… (10 signs)'],
  ['sale.receiptUrl', 'https://r.example/1', '… (19 signs)'],
  ['sale.reference', 'kari@example.com', '… (16 signs)'],
  ['sale.reference', 'Kari Nordmann', '… (13 signs)'],
  ['sale.shippingAddress.city', 'Oslo', '… (4 signs)'],
])('when the field %s is shown, then %s is shown as %s', (path, value, shown) => {
  expect(shownField(path, value)).toBe(shown)
})
