import { z } from 'zod'

const Text = z.exactOptional(z.string().max(500).nullable())

/** A customer as PUT /api/Customer takes one (facts, §3 "Customer"). Other fields are let through and not kept. */
export const CustomerBody = z.object({
  customerid: z.exactOptional(z.int().min(0)),
  extId: Text,
  firstName: Text,
  lastName: Text,
  companyName: Text,
  email: Text,
  phone: Text,
  phoneCountryPrefix: Text,
  address: Text,
  postalCode: Text,
  city: Text,
  countryCode: Text,
  agreedSendEmail: z.exactOptional(z.boolean()),
  agreedSendSms: z.exactOptional(z.boolean()),
  deleted: z.exactOptional(z.boolean()),
  registeredStoreId: z.exactOptional(z.int().nullable()),
})
export type CustomerBody = z.infer<typeof CustomerBody>

/** The filter of a search. A field that it does not know is ignored: the answer is then everybody (facts, §5 trap 20). */
export const CustomerFilter = z.object({
  pageSize: z.exactOptional(z.int().min(1)),
  pageSkip: z.exactOptional(z.int().min(0)),
  firstNameContains: Text,
  lastNameContains: Text,
  emailContains: Text,
  phoneContains: Text,
  companyNameContains: Text,
  customerIds: z.exactOptional(z.array(z.int()).nullable()),
  customerExtIds: z.exactOptional(z.array(z.string()).nullable()),
})
export type CustomerFilter = z.infer<typeof CustomerFilter>
