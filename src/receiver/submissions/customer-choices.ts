import { z } from 'zod'
import { isMap } from '../../config/path.ts'
import type { NamedCustomer, SubmittedConsent, SubmittedPoints } from '../../domain/submitted.ts'
import { check } from './faults.ts'
import { compact, Id, Name, Text } from './fields.ts'
import { type Reading, type Resource, readingOf } from './resource.ts'

const named = {
  extId: Name.nullish().describe('What the sender knows the customer by.'),
  customerId: Id.nullish().describe("The platform's own id, instead of extId."),
}

function namesOne({ extId, customerId }: { extId?: unknown; customerId?: unknown }): boolean {
  return (extId ?? null) !== null ? (customerId ?? null) === null : (customerId ?? null) !== null
}

const ONE_CUSTOMER = {
  error: 'exactly one of extId and customerId',
  when: ({ value }: { value: unknown }) => isMap(value),
}

/** Public facts, DELETE /api/Customer. */
const Deletion = z.strictObject(named).refine(namesOne, ONE_CUSTOMER)

/** Public facts, GET /api/Customer/optin and /optout: both kinds of letters at once. */
const Consent = z
  .strictObject({
    ...named,
    agreed: z.boolean().describe('true: wants e-mails and text messages of the retailer; false: neither.'),
  })
  .refine(namesOne, ONE_CUSTOMER)

/** Public facts, POST /api/Bonus. */
const Points = z
  .strictObject({
    reference: Name.describe('What the sender knows the booking by: the same reference is booked once.'),
    ...named,
    amount: z
      .int()
      .refine((amount) => amount !== 0, { error: 'a whole number of points, and not 0' })
      .describe('So many points are added, or (below 0) taken.'),
    comment: Text.nullish().describe('Why; shown with the customer.'),
    saleId: Id.nullish().describe("The platform's id of the sale that they are for."),
  })
  .refine(namesOne, ONE_CUSTOMER)

export const customerDeletions: Resource = resourceOf('customer-deletions', Deletion, (value) => ({
  kind: 'CustomerDeletionSubmitted',
  payload: compact(value) satisfies NamedCustomer,
}))

export const customerConsents: Resource = resourceOf('customer-consents', Consent, (value) => ({
  kind: 'ConsentSubmitted',
  payload: { ...compact(value), agreed: value.agreed } satisfies SubmittedConsent,
}))

export const bonus: Resource = resourceOf('bonus', Points, (value) => ({
  kind: 'PointsSubmitted',
  payload: { ...compact(value), reference: value.reference, amount: value.amount } satisfies SubmittedPoints,
}))

function resourceOf<Schema extends z.ZodType>(
  scope: Resource['scope'],
  schema: Schema,
  take: (value: z.output<Schema>) => Reading,
): Resource {
  const read = (value: unknown) =>
    readingOf(
      check(schema, value, () => true),
      take,
    )
  return { scope, objects: [schema], line: schema, readObject: (value) => [read(value)], readLine: read }
}
