import { expect, test } from 'vitest'
import { readCustomerQuery } from '../../../src/domain/people/customer-query.ts'

test.each([
  ['kari@example.com', 'kari@example.com'],
  ['  Kari.Nordmann+till@Example.COM ', 'kari.nordmann+till@example.com'],
  ['mailto:kari@example.com', 'kari@example.com'],
  ['91234567@example.com', '91234567@example.com'],
  ['åse@blåbær.no', 'åse@blåbær.no'],
])('when %s is typed, then it is an e-mail address', (text, email) => {
  expect(readCustomerQuery(text, ['NO'])).toEqual({ type: 'email', email })
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
  'a b@example.com',
  'a@b@example.com',
  `${'a'.repeat(250)}@b.no`,
])('when %s is typed, then it is neither', (text) => {
  expect(readCustomerQuery(text, ['NO'])).toBeNull()
})
