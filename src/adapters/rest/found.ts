import { z } from 'zod'
import type { FoundOrder } from '../../domain/orders/found-order.ts'
import type { CustomerRecord } from '../../domain/people/customer-record.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import { listOf } from './mapping/expression.ts'
import { Amount, listOfAll, Needed, Optional, placesOf } from './mapping/wire.ts'

/* What a mapping makes of an answer to the till, checked: what must be there is there, decimals are exact. */

const Address = z.object({
  firstName: Optional,
  lastName: Optional,
  address1: Optional,
  city: Optional,
  postalCode: Optional,
  country: Optional,
  countryCode: Optional,
})

const Order = z.object({
  number: Needed,
  placedAt: Optional,
  status: Optional,
  currency: Needed.transform((code) => code.toUpperCase()).refine((code) => /^[A-Z]{3}$/.test(code)),
  total: Amount,
  lines: listOfAll(
    z.object({
      rowId: Needed,
      gtin: Optional,
      sku: Optional,
      name: Needed,
      quantity: Amount,
      returned: z.preprocess((value) => value ?? 0, Amount),
      unitPrice: Amount,
      vatRate: Amount.nullish().transform((rate) => rate ?? null),
    }),
  ),
  payments: listOfAll(z.object({ type: Needed, amount: Amount, reference: Optional })),
  customer: z
    .object({ email: Optional, firstName: Optional, lastName: Optional, companyName: Optional, phone: Optional })
    .nullish()
    .transform((customer) => customer ?? null),
  billingAddress: Address.nullish().transform((address) => address ?? null),
  shippingAddress: Address.nullish().transform((address) => address ?? null),
})

const Customer = z.object({
  customerId: Optional,
  extId: Optional,
  email: Optional.transform((email) => email?.toLowerCase() ?? null),
  firstName: Optional,
  lastName: Optional,
  companyName: Optional,
  phone: Optional,
  address: Optional,
  postalCode: Optional,
  city: Optional,
  countryCode: Optional.transform((code) => code?.toUpperCase() ?? null),
})

/** The orders that the mapping of a search gives. Throws PermanentError `bad-answer` that names what is missing. */
export function foundOrders(where: string, mapping: string, over: object): FoundOrder[] {
  return listOf(mapping, over).map((order) => checked(`${where}.answer`, Order, order))
}

/** The customers that the mapping of a search gives. */
export function foundCustomers(where: string, mapping: string, over: object): CustomerRecord[] {
  return listOf(mapping, over).map((customer) => checked(`${where}.answer`, Customer, customer))
}

function checked<T>(where: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const places = placesOf(parsed.error)
  throw new PermanentError(`${where} gives something that lacks these, or has them in another form: ${places}`, {
    code: 'bad-answer',
  })
}
