import { z } from 'zod'
import type { CustomerRecord } from '../../domain/customers/customer-record.ts'
import type { FoundOrder } from '../../domain/orders/order.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import { retryRead } from '../shared/http-errors.ts'
import type { Answer, Api } from './api.ts'
import {
  Amount,
  at,
  badAnswer,
  listOf,
  listOfAll,
  Needed,
  Optional,
  placesOf,
  type RequestTemplate,
  type SearchTemplate,
  withoutData,
} from './mapping/template.ts'
import { buildRequest, refuseWhenSaid } from './request.ts'

const KEEP = 8 * 1024 * 1024

export interface Reading<Template> {
  where: string
  template: Template
  input: object
  signal: AbortSignal
}

/** Never throws UnknownOutcomeError. */
export async function ask(api: Api, { where, template, input, signal }: Reading<RequestTemplate>): Promise<Answer> {
  const { statuses } = template
  const answer = await api.send(buildRequest(template, input), { signal, statuses, keep: KEEP }).catch(retryRead)
  if (answer.answer === null && answer.status < 300 && answer.status !== 204)
    throw new RetryLaterError(`${where}: the answer is not JSON, or longer than ${KEEP / 1024 / 1024} MB`, {
      code: 'unreadable-answer',
    })
  refuseWhenSaid(where, template, { ...input, ...answer })
  return answer
}

/** A 404 finds nothing. */
export async function search<T>(api: Api, reading: Reading<SearchTemplate>, make: (over: object) => T[]): Promise<T[]> {
  const { where, template, input } = reading
  try {
    const statuses = { 404: 'done' as const, ...template.statuses }
    const answer = await ask(api, { ...reading, template: { ...template, statuses } })
    return answer.status === 404 ? [] : at('answer', () => make({ ...input, ...answer }))
  } catch (error) {
    throw withoutData(error, where)
  }
}

const Address = z
  .object({
    firstName: Optional,
    lastName: Optional,
    address1: Optional,
    city: Optional,
    postalCode: Optional,
    country: Optional,
    countryCode: Optional,
  })
  .nullable()
  .default(null)

export const FoundOrders: z.ZodType<FoundOrder> = z.object({
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
      vatRate: Amount.nullable().default(null),
    }),
  ),
  payments: listOfAll(z.object({ type: Needed, amount: Amount, reference: Optional })),
  customer: z
    .object({ email: Optional, firstName: Optional, lastName: Optional, companyName: Optional, phone: Optional })
    .nullable()
    .default(null),
  billingAddress: Address,
  shippingAddress: Address,
})

export const FoundCustomers: z.ZodType<CustomerRecord> = z.object({
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

/** Throws PermanentError `bad-answer` that names what is missing. */
export function found<T>(where: string, schema: z.ZodType<T>, mapping: string, over: object): T[] {
  return listOf(mapping, over).map((value) => {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    throw badAnswer(`${where}.answer`, placesOf(parsed.error))
  })
}
