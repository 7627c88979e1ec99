import { expect, test } from 'vitest'
import { readCustomerQuery } from '../../../src/domain/customers/customer-query.ts'

test.each([
  ['kari@example.com', 'kari@example.com'],
  ['  Kari.Nordmann+pos@Example.COM ', 'kari.nordmann+pos@example.com'],
  ['mailto:kari@example.com', 'kari@example.com'],
  ['91234567@example.com', '91234567@example.com'],
  ['åse@blåbær.no', 'åse@blåbær.no'],
  ['kari club@example.com', 'kari+club@example.com'],
  ['kari%2Bclub%40example.com', 'kari+club@example.com'],
  ['kari%2Bclub@example.com', 'kari+club@example.com'],
  ['kari%20club%40example.com', 'kari+club@example.com'],
  ['kari @ example. com', 'kari@example.com'],
  ['50%off@example.com', '50%off@example.com'],
])('when %s is typed, then it is an e-mail address', (text, email) => {
  expect(readCustomerQuery(text, ['NO'])).toEqual({ type: 'email', email })
})

test('a phone number that was escaped twice is read', () => {
  expect(readCustomerQuery('%2B4791234567', [])).toMatchObject({ type: 'phone', numbers: ['+4791234567'] })
})

test('when a number is typed, then it is one', () => {
  expect(readCustomerQuery('912 34 567', ['NO'])).toMatchObject({ type: 'phone', typed: '91234567' })
})

test.each([
  '',
  'kari',
  'kari@',
  '@example.com',
  'kari@example',
  'a b c@example.com',
  'a@b@example.com',
  '%E0%A4%A',
  `${'a'.repeat(250)}@b.no`,
])('when %s is typed, then it is neither', (text) => {
  expect(readCustomerQuery(text, ['NO'])).toBeNull()
})
