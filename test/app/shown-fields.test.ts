import { expect, test } from 'vitest'
import { shownFields } from '../../src/app/replay.ts'
import { PERSONAL_FIELDS } from '../../src/domain/privacy/personal-fields.ts'

test('each leaf of a call has its path, in lists too, and bytes have their size and hash', () => {
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
  ['sale.customer.birthDate', '1980-01-02', '… (10 signs)'],
  ['sale.customer.number', 4711, '… (4 signs)'],
  ['sale.customer', null, 'null'],
  ['sale.customer.deleted', false, 'false'],
  ['to', '4790000000', '… (10 signs)'],
  ['sale.receiptUrl', 'https://r.example/1', '… (19 signs)'],
  ['sale.reference', 'kari@example.com', '… (16 signs)'],
  ['sale.reference', 'Kari Nordmann', '… (13 signs)'],
  ['sale.shippingAddress.city', 'Oslo', '… (4 signs)'],
])('the field %s with %s is shown as %s', (path, value, shown) => {
  expect(shownFields({ [path]: value })).toEqual({ [path]: shown })
})

test('each personal field is masked, however its name is written', () => {
  const names = [...PERSONAL_FIELDS.keys(), 'CustomerGuid', 'PostalCode']
  for (const name of names)
    expect(shownFields({ a: { [name]: '12345' } }), name).toEqual({ [`a.${name}`]: '… (5 signs)' })
  expect(shownFields({ constructor: '1', total: '1' })).toEqual({ constructor: '1', total: '1' })
})
