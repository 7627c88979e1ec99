import { z } from 'zod'
import type { SubmittedCustomer } from '../../domain/submitted.ts'
import { check } from './faults.ts'
import { compact, Line, Name } from './fields.ts'
import { type Reading, type Resource, readingOf } from './resource.ts'

export const CountryCode = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z]{2}$/, { error: 'a country code of two letters, such as NO' })

/** A customer to obtain or create. */
export const Customer = z.strictObject({
  extId: Name.describe('What the sender knows the customer by.'),
  email: Line,
  firstName: Line,
  lastName: Line,
  companyName: Line,
  phone: Line,
  phoneCountryPrefix: Line,
  address: Line,
  postalCode: Line,
  city: Line,
  countryCode: CountryCode.nullish(),
})

export const customers: Resource = {
  scope: 'customers',
  objects: [Customer],
  line: Customer,
  readObject: (value) => [readCustomer(value)],
  readLine: readCustomer,
}

function readCustomer(value: unknown): Reading {
  return readingOf(
    check(Customer, value, () => true),
    (customer) => ({ kind: 'CustomerSubmitted', payload: customerOf(customer) }),
  )
}

export function customerOf(customer: z.output<typeof Customer>): SubmittedCustomer {
  return { ...compact(customer), extId: customer.extId }
}
