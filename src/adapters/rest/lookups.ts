import { z } from 'zod'
import type { FoundOrder } from '../../domain/orders/order.ts'
import type { CustomerRecord } from '../../domain/people/customer-record.ts'
import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { retryRead } from '../shared/http-errors.ts'
import type { Answer, Api } from './api.ts'
import {
  Amount,
  at,
  idOf,
  listOf,
  listOfAll,
  Needed,
  Optional,
  placesOf,
  type RequestTemplate,
  resultOf,
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
export async function ask(
  api: Api,
  { where, template, input, signal }: Reading<RequestTemplate>,
  link: string | null = null,
): Promise<Answer> {
  const request = buildRequest(template, input)
  const { statuses } = template
  const answer = await api
    .send(link === null ? request : { ...request, path: link }, { signal, statuses, keep: KEEP })
    .catch(retryRead)
  if (answer.answer === null && answer.status < 300 && answer.status !== 204)
    throw new RetryLaterError(`${where}: the answer is not JSON, or longer than ${KEEP / 1024 / 1024} MB`, {
      code: 'unreadable-answer',
    })
  refuseWhenSaid(where, template, { ...input, ...answer })
  return answer
}

export async function search<T>(api: Api, reading: Reading<SearchTemplate>, make: (over: object) => T[]): Promise<T[]> {
  try {
    const found: T[] = []
    for await (const over of pages(api, reading)) for (const one of at('answer', () => make(over))) found.push(one)
    return found
  } catch (error) {
    throw withoutData(error, reading.where)
  }
}

async function* pages(api: Api, { where, template, input, signal }: Reading<SearchTemplate>): AsyncGenerator<object> {
  const { paging } = template
  const lenient = { ...template, statuses: { 404: 'done' as const, ...template.statuses } }
  let page: unknown = paging?.first ?? null
  let link: string | null = null
  for (let count = 0; count < (paging?.most ?? 1); count += 1) {
    const answer = await ask(api, { where, template: lenient, input: { ...input, page }, signal }, link)
    if (answer.status === 404) return
    const over = { ...input, page, ...answer }
    yield over
    if (!paging) return
    if (paging.link !== undefined) {
      const next = at('paging', () => at('link', () => idOf(paging.link ?? '', over)))
      if (next === null) return
      link = api.pathOf(next) ?? foreign(where)
    } else {
      const next = at('paging', () => at('next', () => resultOf(paging.next ?? '', over)))
      if (next === undefined || next === null || next === '' || next === page) return
      page = next
    }
  }
}

function foreign(where: string): never {
  throw new PermanentError(`${where}.paging.link leads away from the url in config`, { code: 'foreign-link' })
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
    const places = placesOf(parsed.error)
    throw new PermanentError(
      `${where}.answer gives something that lacks these, or has them in another form: ${places}`,
      {
        code: 'bad-answer',
      },
    )
  })
}
