import { describe, expect, test } from 'vitest'
import { readCustomerQuery, readRecipient } from '../../../src/domain/customers/customer-query.ts'
import {
  type CustomerRecord,
  filledUp,
  mayBeOneName,
  merged,
  samePeople,
  samePerson,
} from '../../../src/domain/customers/customer-record.ts'
import { readCustomer, readSaleCustomer } from '../../../src/platform/payloads/customer.ts'
import { customer, sale } from '../../fixtures/payloads.ts'

const NONE: CustomerRecord = {
  ...{ customerId: null, extId: null, email: null, firstName: null, lastName: null, companyName: null, phone: null },
  ...{ address: null, postalCode: null, city: null, countryCode: null },
}
const person = (given: Partial<CustomerRecord>): CustomerRecord => ({ ...NONE, ...given })

describe('whether two records are of one person', () => {
  test.each<[string | null, Partial<CustomerRecord>, Partial<CustomerRecord>]>([
    ['customerId', { customerId: '1' }, { customerId: '1', extId: 'x' }],
    [null, { customerId: '1', email: 'a@b' }, { customerId: '2', email: 'a@b' }],
    ['extId', { customerId: '1', extId: 'x' }, { extId: 'x', email: 'a@b' }],
    [null, { extId: 'x', email: 'a@b' }, { extId: 'y', email: 'a@b' }],
    ['email', { extId: 'x', email: 'a@b' }, { email: 'a@b', phone: '1' }],
    [null, { email: 'a@b', phone: '1' }, { email: 'c@d', phone: '1' }],
    ['phone', { email: 'a@b', phone: '1' }, { phone: '1' }],
    ['phone', { phone: '1', firstName: 'Kari' }, { phone: '1', firstName: 'kari Anne' }],
    [null, { phone: '1', firstName: 'Kari' }, { phone: '1', firstName: 'Ola' }],
    [null, { phone: '1' }, { phone: '2' }],
    [null, { phone: '1' }, {}],
    [null, {}, {}],
  ])('When it is %s by which they agree (%j, %j), then that is said', (by, one, other) => {
    expect(samePerson(person(one), person(other))).toBe(by)
    expect(samePerson(person(other), person(one))).toBe(by)
  })

  test('When two share a phone, then a shorter or missing name may be the same, another may not', () => {
    const names: [string | null, string | null, boolean][] = [
      ['Kari', 'KARI-ANNE', true],
      ['  "Kari"', 'Kari', true],
      ['Ka', 'Kari', true],
      [null, 'Kari', true],
      ['Kari', '--', true],
      ['Kari', 'Anne Kari', false],
      ['Kari', 'Kristin', false],
    ]
    for (const [one, other, may] of names) {
      expect(mayBeOneName(person({ firstName: one }), person({ firstName: other })), `${one} ${other}`).toBe(may)
      expect(mayBeOneName(person({ firstName: other }), person({ firstName: one })), `${other} ${one}`).toBe(may)
    }
  })

  test('When several are the same person, then the surest is first, and of equals the first that was given', () => {
    const [byPhone, byMail, byMailToo, byId] = [
      person({ phone: '1' }),
      person({ email: 'a@b', city: 'Oslo' }),
      person({ email: 'a@b', city: 'Bergen' }),
      person({ customerId: '7' }),
    ]
    const came = person({ customerId: '7', extId: 'x', email: 'a@b', phone: '1' })
    expect(samePeople([byPhone, byMail, person({ email: 'c@d' }), byMailToo, byId], came)).toEqual([
      byId,
      byMail,
      byMailToo,
      byPhone,
    ])
  })

  test('When they are made one, then what came holds, and what it lacks is as it was', () => {
    const all = (word: string): CustomerRecord =>
      Object.fromEntries(Object.keys(NONE).map((key) => [key, `${word} ${key}`])) as unknown as CustomerRecord
    expect(merged(all('old'), all('new'))).toEqual(all('new'))
    expect(merged(all('old'), NONE)).toEqual(all('old'))
    expect(merged(NONE, all('new'))).toEqual(all('new'))
  })
})

test.each<[string, 'email' | 'texts', string | null]>([
  [' kari@example.com ', 'email', 'kari@example.com'],
  ['kari@example.com', 'texts', null],
  ['+47 912 34 567', 'texts', '+4791234567'],
  [' 0047 912 34 567', 'texts', '+4791234567'],
  ['912 34 567', 'texts', null],
  ['+47 912 34 567', 'email', null],
  ['Kari', 'email', null],
  ['', 'texts', null],
  ['+', 'texts', null],
])('When %j is typed for %s, then it is sent to %s', (typed, port, to) => {
  expect(readRecipient(typed, port)).toBe(to)
})

const saleWith = (given: object) => sale({ customer: { ...sale().customer, ...given } })

test('when the platform has a customer, then the phone is read by the prefix, else by the country', () => {
  const of = (given: object) => readCustomer(customer(given as Record<string, unknown>))?.phone
  expect(of({ phoneCountryPrefix: '47', phone: '912 34 567', countryCode: 'SE' })).toBe('+4791234567')
  expect(of({ phoneCountryPrefix: '', phone: '070-123 45 67', countryCode: 'se' })).toBe('+46701234567')
})

test('when a sale has nobody, then there is no customer; the id 0 is nobody either', () => {
  expect(readSaleCustomer(sale())).toBeNull()
  expect(readSaleCustomer(saleWith({ customerId: 0, email: 'KARI@example.com' }))).toMatchObject({
    customerId: null,
    email: 'kari@example.com',
  })
})

test('when a record is filled up, then what is known stays, and an address is not put together from two', () => {
  const known = readSaleCustomer(saleWith({ email: 'kari@example.com', address: { city: 'Oslo' } }))
  const more = readCustomer(
    customer({ email: 'other@example.com', firstName: 'Kari', address1: 'Vägen 1', city: 'Lund' }),
  )
  if (!known || !more) throw new Error('both are somebody')

  expect(filledUp(known, more)).toMatchObject({
    email: 'kari@example.com',
    firstName: 'Kari',
    address: null,
    city: 'Oslo',
  })
  expect(filledUp(NONE, more)).toMatchObject({ address: 'Vägen 1', city: 'Lund' })
})

test.each([
  ['kari@example.com', 'kari@example.com'],
  ['  Kari.Nordmann+pos@Example.COM ', 'kari.nordmann+pos@example.com'],
  [' mailto:kari@example.com', 'kari@example.com'],
  [`${'a'.repeat(242)}@example.com`, `${'a'.repeat(242)}@example.com`],
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
  'kari mailto:@example.com',
  `${'a'.repeat(243)}@example.com`,
])('when %s is typed, then it is neither', (text) => {
  expect(readCustomerQuery(text, ['NO'])).toBeNull()
})
