import { z } from 'zod'
import type { NamedCustomer, SubmittedConsent, SubmittedPoints } from '../../../domain/catalogue/submitted.ts'
import { choiceOfSender } from '../../../flows/consents.ts'
import { compact, Key, OptionalId, OptionalKey, Text } from '../fields.ts'
import { exactlyOne } from './exactly-one.ts'
import { type Resource, resourceOf } from './resource.ts'

const named = {
  extId: OptionalKey.describe('What the sender knows the customer by.'),
  customerId: OptionalId.describe("The platform's own id, instead of extId."),
}

const ONE_CUSTOMER = exactlyOne('extId', 'customerId')

/** Public facts, DELETE /api/Customer. */
const Deletion = z.strictObject(named).refine(...ONE_CUSTOMER)

/** Public facts, GET /api/Customer/optin and /optout: both kinds of letters at once. */
const Consent = z
  .strictObject({
    ...named,
    agreed: z.boolean().describe('true: wants e-mails and text messages of the retailer; false: neither.'),
  })
  .refine(...ONE_CUSTOMER)

/** Public facts, POST /api/Bonus. */
const Points = z
  .strictObject({
    reference: Key.describe('What the sender knows the booking by: the same reference is booked once.'),
    ...named,
    amount: z
      .int()
      .refine((amount) => amount !== 0, { error: 'a whole number of points, and not 0' })
      .describe('So many points are added, or (below 0) taken.'),
    comment: Text.nullish().describe('Why; shown with the customer.'),
    saleId: OptionalId.describe("The platform's id of the sale that they are for."),
  })
  .refine(...ONE_CUSTOMER)

export const customerDeletions: Resource = resourceOf('customer-deletions', Deletion, allPrivate, (value) => ({
  kind: 'CustomerDeletionSubmitted',
  payload: compact(value) satisfies NamedCustomer,
}))

export const customerConsents: Resource = resourceOf('customer-consents', Consent, allPrivate, (value, { system }) => {
  const payload: SubmittedConsent = { ...compact(value), agreed: value.agreed }
  return { kind: 'ConsentSubmitted', payload, acknowledges: [choiceOfSender(system, payload)] }
})

export const bonus: Resource = resourceOf('bonus', Points, allPrivate, (value) => ({
  kind: 'PointsSubmitted',
  payload: { ...compact(value), reference: value.reference, amount: value.amount } satisfies SubmittedPoints,
}))

function allPrivate(): boolean {
  return true
}
