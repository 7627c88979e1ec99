import { expect, test } from 'vitest'
import { filledUp } from '../../../src/domain/customers/customer-record.ts'
import { readCustomer, readSaleCustomer } from '../../../src/platform/payloads/customer.ts'
import { customer, sale } from '../../fixtures/payloads.ts'

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
})
