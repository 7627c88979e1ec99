import { z } from 'zod'
import type { SubmittedCustomer } from '../../domain/submitted.ts'
import { acknowledgedBySender } from '../../flows/customers.ts'
import { check } from './faults.ts'
import { compact, Id, Line, Name, Time } from './fields.ts'
import { type Reading, type ReadingContext, type Resource, readingOf } from './resource.ts'

export const CountryCode = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z]{2}$/, { error: 'a country code of two letters, such as NO' })

/** A customer to obtain or create. */
export const Customer = z.strictObject({
  extId: Name.describe('What the sender knows the customer by.'),
  customerId: Id.nullish().describe(
    "The platform's own id, where the sender knows it: no other customer is meant then.",
  ),
  changedAt: Time.nullish().describe(
    'When it was last changed there: an older state that comes later does not replace a newer one.',
  ),
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
  readObject: (value, context) => [readCustomer(value, context)],
  readLine: readCustomer,
}

function readCustomer(value: unknown, { system, directoryOnly = false }: ReadingContext): Reading {
  return readingOf(
    check(Customer, value, () => true),
    (read) => {
      const customer = customerOf(read)
      return {
        kind: 'CustomerSubmitted',
        payload: { ...customer, ...(directoryOnly && { directoryOnly }) } satisfies SubmittedCustomer,
        acknowledges: [acknowledgedBySender(system, customer)],
      }
    },
  )
}

export function customerOf(customer: z.output<typeof Customer>): SubmittedCustomer {
  return { ...compact(customer), extId: customer.extId }
}
