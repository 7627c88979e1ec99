import { z } from 'zod'
import type { FoundOrder } from '../../domain/orders/found-order.ts'
import type { CustomerRecord } from '../../domain/people/customer-record.ts'

/*
 * Whether what a source found has the form that is worked with here. An adapter of the operator's own may leave out what it
 * does not know; but where one says something else altogether, its source has failed, and the others have not.
 */

const Text = z.string().nullish()
const Thing = z.looseObject({})

const CustomerRow = z.object({
  customerId: Text,
  extId: Text,
  email: Text,
  firstName: Text,
  lastName: Text,
  companyName: Text,
  phone: Text,
  address: Text,
  postalCode: Text,
  city: Text,
  countryCode: Text,
})

const OrderRow = z.object({
  number: z.string(),
  lines: z.array(Thing),
  payments: z.array(Thing),
  customer: z.object({ phone: Text }).nullable(),
  billingAddress: Thing.nullable(),
  shippingAddress: Thing.nullable(),
})

export function isCustomer(row: unknown): row is CustomerRecord {
  return CustomerRow.safeParse(row).success
}

export function isOrder(row: unknown): row is FoundOrder {
  return OrderRow.safeParse(row).success
}
