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

/** Asks once. Nothing can have happened when it fails, so it never throws UnknownOutcomeError. */
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

/** Reads every page, and what a mapping makes of each. 404: there is nothing. */
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
