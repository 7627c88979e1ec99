import { expect, test } from 'vitest'
import { shownField, shownFields } from '../../../src/domain/people/erasing/personal-fields.ts'

test('when a call is taken apart, then each leaf has its path, lists too, and bytes their size and hash', () => {
  const argument = {
    sale: { lines: [{ gtin: '709' }, {}], paid: true },
    none: null,
    left: undefined,
    body: Buffer.from('a'),
  }

  expect(shownFields(argument)).toEqual({
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
