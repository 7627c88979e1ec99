import { z } from 'zod'
import type { NamedCustomer, SubmittedCustomer } from '../../../domain/catalogue/submitted.ts'
import { acknowledgedBySender, consentOfSender } from '../../../flows/customers.ts'
import { check, compact, Day, exactlyOne, Key, Line, OptionalId, OptionalKey, Price, Time } from '../fields.ts'
import { type Reading, type ReadingContext, type Resource, readingOf, resourceOf, single } from './resource.ts'

export const CountryCode = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z]{2}$/, { error: 'a country code of two letters, such as NO' })

export const Customer = z.strictObject({
  extId: Key.describe('What the sender knows the customer by.'),
  customerId: OptionalId.describe("The platform's own id, where the sender knows it: no other customer is meant then."),
  changedAt: Time.nullish().describe(
    'When it was last changed there: an older state that comes later does not replace a newer one.',
  ),
  email: Line.describe('The address that receipts go to.'),
  firstName: Line.describe('Of the person.'),
  lastName: Line.describe('Of the person.'),
  companyName: Line.describe('Of the company that buys.'),
  phone: Line.describe("Without the country's prefix."),
  phoneCountryPrefix: Line.describe('Such as 47.'),
  address: Line.describe('Street and number.'),
  postalCode: Line.describe('As text: it may begin with 0.'),
  city: Line.describe('The place of the postal code.'),
  countryCode: CountryCode.nullish().describe('ISO 3166, two letters.'),
  isCompany: z.boolean().nullish().describe('true: a company, not a person.'),
  orgNum: Line.describe('The number of the company in its register.'),
  agreedSendEmail: z.boolean().nullish().describe('Whether the customer agreed to be sent offers by e-mail.'),
  agreedSendSms: z.boolean().nullish().describe('Whether the customer agreed to be sent offers as text messages.'),
  tags: Line.describe('Words that discounts and clubs go by, with commas between.'),
  birthDay: Day.nullish().describe('The day of birth.'),
  birthYear: z.int().min(1900).max(2100).nullish().describe('Where no more than the year is known.'),
  gender: Line.describe('As the platform writes it.'),
  langCode: Line.describe('The language in which the customer is written to, two letters.'),
  cardNo: Line.describe('The number of a club card.'),
  stdDiscount: Price.nullish().describe('The discount that the customer always has, in percent.'),
  isEmployee: z.boolean().nullish().describe('true: works for the retailer.'),
  isInvoice: z.boolean().nullish().describe('true: may buy on invoice.'),
  suppressCampaigns: z.boolean().nullish().describe('true: campaigns do not hold for the customer.'),
  description: Line.describe('A note for the staff.'),
  registeredStoreId: OptionalId.describe("The platform's id of the store where the customer signed up."),
})

/** Public facts, DELETE /api/Customer. */
const Deletion = z
  .strictObject({
    extId: OptionalKey.describe('What the sender knows the customer by.'),
    customerId: OptionalId.describe("The platform's own id, instead of extId."),
  })
  .refine(...exactlyOne('extId', 'customerId'))

export const customerDeletions: Resource = resourceOf(
  'customer-deletions',
  Deletion,
  () => true,
  (value) => ({
    kind: 'CustomerDeletionSubmitted',
    payload: compact(value) satisfies NamedCustomer,
  }),
)

export const customers: Resource = single('customers', Customer, readCustomer)

function readCustomer(value: unknown, { system, directoryOnly = false }: ReadingContext): Reading {
  return readingOf(
    check(Customer, value, () => true),
    (read) => {
      const customer = customerOf(read)
      return {
        kind: 'CustomerSubmitted',
        payload: { ...customer, ...(directoryOnly && { directoryOnly }) } satisfies SubmittedCustomer,
        acknowledges: [acknowledgedBySender(system, customer), ...consentOfSender(system, customer)],
      }
    },
  )
}

export function customerOf(customer: z.output<typeof Customer>): SubmittedCustomer {
  return { ...compact(customer), extId: customer.extId }
}
