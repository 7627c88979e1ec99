import { type RequestHandler, type Response, Router } from 'express'
import type { Config } from '../../config/config.ts'
import type { Address } from '../../domain/accounting/sale.ts'
import { type CustomerQuery, readCustomerQuery } from '../../domain/customers/customer-query.ts'
import {
  type CustomerRecord,
  filledUp,
  mayBeOneName,
  UNKNOWN_CUSTOMER,
} from '../../domain/customers/customer-record.ts'
import type { FoundOrder, FoundOrderLine } from '../../domain/orders/order.ts'
import { homeSpellings, phoneOf, splitPhone } from '../../domain/values/phone.ts'
import { unescaped } from '../../domain/values/text.ts'
import type { LookupRow } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import { sendProblem } from '../problem.ts'
import {
  type Answers,
  chooseSources,
  createAsk,
  createListTemplate,
  createLookupRouter,
  createTemplate,
  isCustomer,
  isOrder,
  type LookupContext,
  nameSources,
  type Source,
} from './ask.ts'

export interface LookupOptions extends LookupContext {
  config: Config['lookups']
  sources: {
    customers: readonly Source<CustomerQuery, CustomerRecord>[]
    orders: readonly Source<string, FoundOrder>[]
  }
  noteLookup: Storage['noteLookup']
}

/** Throws a UserError for an unknown source or an unreadable template. */
export function createLookups({ config, sources, noteLookup, ...context }: LookupOptions): Router {
  const router = Router()
  if (config.customers)
    router.use('/api/customers/search', createCustomerLookup(config.customers, sources.customers, context))
  if (config.orders)
    router.use('/api/orders/search', createOrderLookup(config.orders, sources.orders, noteLookup, context))
  return router
}

/** Spec, "Customer lookup in an external CRM". */
function createCustomerLookup(
  config: NonNullable<Config['lookups']['customers']>,
  there: readonly Source<CustomerQuery, CustomerRecord>[],
  context: LookupContext,
): RequestHandler {
  const { countries, budget, answer: template } = config
  const ask = createAsk(chooseSources(there, config.ask, 'customers'), isCustomer, budget, context)
  const shape =
    template === undefined ? null : createListTemplate(template, 'lookups.customers.answer', SAMPLE_CUSTOMERS)
  return createLookupRouter('customers', { ...config, parameter: 'query' }, context, answer)

  async function answer(asked: string, response: Response, gone: AbortSignal): Promise<void> {
    const query = readCustomerQuery(asked, countries)
    if (query === null)
      return sendProblem(
        response,
        'neither-email-nor-phone',
        'Look for a customer by a whole e-mail address, or by a phone number with or without its country.',
      )
    const answers = await ask(query, gone)
    if (gone.aborted) return
    const customers = mergePeople(answers.answered, query)
    const { missing, ms } = answers
    nameSources(response, answers)
    response.json(shape ? shape(customers) : customers.map(platformCustomer))
    const from = answers.answered.map(({ source, found }) => `${source} ${found.length}`)
    const found = customers.length
    context.logger.info({ lookup: 'customers', found, from, missing, ms }, 'lookup.answered')
  }
}

/** Facts §4, CustomerCreated; unknown fields are null. */
function platformCustomer({ customerId, extId, address, phone, ...customer }: CustomerRecord) {
  const { prefix, number } = splitPhone(phone)
  const isNumber = customerId !== null && /^[1-9]\d{0,14}$/.test(customerId)
  return {
    ...NOT_KNOWN.customer,
    ...customer,
    ...{ customerId: isNumber ? Number(customerId) : customerId, customerExtId: extId, address1: address },
    ...{ phoneCountryPrefix: prefix, phone: number },
  }
}

interface Person {
  record: CustomerRecord
  rows: { source: string; record: CustomerRecord }[]
}

/** The more trusted source's rows are filled up from the others; exact matches first. */
function mergePeople(answers: Answers<CustomerRecord>['answered'], query: CustomerQuery): CustomerRecord[] {
  const people: Person[] = []
  for (const { source, found } of answers)
    for (const row of found) {
      const record = comparable(row)
      const person = findSame(people, source, record)
      if (person) {
        person.record = filledUp(person.record, record)
        person.rows.push({ source, record })
      } else people.push({ record, rows: [{ source, record }] })
    }
  return people
    .map(({ record }) => ({ record, distance: distanceOf(record, query) }))
    .sort((a, b) => a.distance - b.distance)
    .map(({ record }) => record)
}

const OWN_MARKS = ['customerId', 'extId', 'email'] as const

function comparable(record: CustomerRecord): CustomerRecord {
  return {
    ...UNKNOWN_CUSTOMER,
    ...record,
    email: record.email?.trim().toLowerCase() || null,
    phone: phoneOf(null, record.phone ?? null, record.countryCode ?? null),
  }
}

/** Not by phone if one source has two people with it, or addresses or names differ (a mother and her son). */
function findSame(people: readonly Person[], source: string, record: CustomerRecord): Person | null {
  const others = people.filter((person) => mayBeSame(person, source, record))
  const sure = others.find(({ rows }) =>
    rows.some((row) => OWN_MARKS.some((mark) => isEqual(row.record, record, mark))),
  )
  if (sure) return sure
  const onePhone = people.filter(({ rows }) => rows.some((row) => isEqual(row.record, record, 'phone')))
  const [only] = onePhone
  if (onePhone.length !== 1 || !only || !others.includes(only) || differ(only.record.email, record.email)) return null
  return mayBeOneName(only.record, record) ? only : null
}

function mayBeSame({ record: known, rows }: Person, source: string, record: CustomerRecord): boolean {
  if (known.customerId !== null && record.customerId !== null) return known.customerId === record.customerId
  const own = rows.filter((row) => row.source === source)
  return own.every((row) => !differ(row.record.extId, record.extId) && !differ(row.record.email, record.email))
}

function isEqual(a: CustomerRecord, b: CustomerRecord, mark: keyof CustomerRecord): boolean {
  return a[mark] !== null && a[mark] === b[mark]
}

function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b
}

function distanceOf({ email, phone }: CustomerRecord, query: CustomerQuery): number {
  if (query.type === 'email') return email === query.email ? 0 : 1
  if (phone === null) return Number.MAX_SAFE_INTEGER
  const exact = query.numbers.indexOf(phone)
  if (exact !== -1) return exact
  const home = query.numbers.findIndex((number) => homeSpellings(number).includes(phone))
  return query.numbers.length + (home === -1 ? query.numbers.length : home)
}

const SAMPLE_CUSTOMERS: readonly CustomerRecord[] = ['1', '2'].map((customerId) => ({
  customerId,
  extId: `C-${customerId}`,
  email: `someone${customerId}@example.com`,
  firstName: 'Some',
  lastName: 'One',
  companyName: 'Example',
  phone: `+479000000${customerId}`,
  address: 'Storgata 1',
  postalCode: '0155',
  city: 'Oslo',
  countryCode: 'NO',
}))

/** Spec, "Order lookup in an external OMS". 404 only if every source said so. */
function createOrderLookup(
  config: NonNullable<Config['lookups']['orders']>,
  there: readonly Source<string, FoundOrder>[],
  noteLookup: Storage['noteLookup'],
  context: LookupContext,
): RequestHandler {
  const { budget, answer: template } = config
  const { clock, logger } = context
  const ask = createAsk(chooseSources(there, config.ask, 'orders'), isOrder, budget, context)
  const shape = template === undefined ? null : createTemplate<FoundOrder>(template, 'lookups.orders.answer', 'order')
  return createLookupRouter('orders', config, context, answer)

  async function answer(asked: string, response: Response, gone: AbortSignal): Promise<void> {
    const number = unescaped(asked).trim()
    const at = clock.now()
    const answers = await ask(number, gone)
    const order = bestOrder(disambiguated(answers.answered, number), number)
    try {
      if (gone.aborted) return
      nameSources(response, answers)
      if (order) response.json(shape ? shape(order) : platformOrder(order))
      else notFound(response, answers.missing)
    } finally {
      const { answered, missing, ms } = answers
      const found = answered.filter(({ found }) => found.length > 0).map(({ source }) => source)
      note({ at, number: order?.number ?? number, found, missing, ms })
    }
  }

  function note(lookup: LookupRow): void {
    const { number: _, at: __, ...said } = lookup
    logger.info({ lookup: 'orders', ...said }, 'lookup.answered')
    if (lookup.number.includes('@')) return
    noteLookup(lookup).catch((error: unknown) => {
      logger.warn({ problem: error instanceof Error ? error.name : 'error' }, 'lookup.not-noted')
    })
  }
}

function notFound(response: Response, missing: readonly string[]): void {
  if (missing.length === 0)
    sendProblem(
      response,
      'order-not-found',
      'Every system that was asked has answered, and none has an order of this number.',
    )
  else
    sendProblem(
      response,
      'order-perhaps-elsewhere',
      `${missing.join(', ')} did not answer in time; the order may be there. Ask again.`,
    )
}

const STATUSES = ['UnHandled', 'Shipped', 'Rejected', 'Picked', 'Returned']

/** Facts §3, Order; unknown fields are null. `name` and `returnedQuantity` of a line are added. */
function platformOrder(order: FoundOrder) {
  const { currency } = order
  return {
    ...NOT_KNOWN.order,
    ...{ orderNo: order.number, createdDateTime: order.placedAt, comment: othersOf(order) },
    paymentLines: order.payments.map(({ type, amount, reference }) => ({
      ...NOT_KNOWN.payment,
      ...{ type, currency, txRef: reference, amount: Number(amount) },
    })),
    orderLines: order.lines.map(lineOf),
    ...{ customer: customerOf(order), shippingAddress: addressOf(order.shippingAddress) },
    ...{ total: Number(order.total), currency },
    status: STATUSES.find((status) => status === order.status) ?? null,
  }
}

/** Fields of the platform that the hub does not know. */
function nulls(names: string): Record<string, null> {
  return Object.fromEntries(names.split(' ').map((name) => [name, null]))
}

const NOT_KNOWN = {
  customer: nulls(
    'taxId gender province country description agreedSendEmail agreedSendSMS isEmployee birthday cardNo tags ' +
      'gdprUpdatedDateTime registeredStoreId createdDateTime updatedDateTime deleted customerGuid',
  ),
  order: nulls(
    'receiptNo receiptFormatted receiptUrl orderId orderType updatedDateTime dueDateTime expirationDateTime ' +
      'reservationLengthInHours orderEvents shipmentInfo fulfillmentLocation store vatTotal',
  ),
  payment: nulls('subType currencyTendered text rowId'),
  line: nulls('vat fullPrice discount discountPercent sizeText status shipFromOnlineStore'),
  address: nulls('companyName address2 province comment'),
}

function othersOf({ number, posId, others = [] }: FoundOrder): string | null {
  if (others.length === 0) return null
  const [is, other] = posId === undefined ? ['a web order', 'an order of a POS'] : ['an order of a POS', 'a web order']
  return `${number} is ${is}. Its number is that of ${other}, too: ask for ${others.join(' or ')}.`
}

function lineOf({ quantity, returned, gtin, unitPrice, vatRate, rowId, sku, name }: FoundOrderLine) {
  return {
    ...NOT_KNOWN.line,
    ...{ quantity: Number(quantity), returnedQuantity: Number(returned), gtin, price: Number(unitPrice) },
    ...{ vatPercent: vatRate === null ? null : Number(vatRate), rowId, externalSKU: sku, name, receiptLabel: name },
  }
}

function customerOf({ customer, billingAddress }: FoundOrder) {
  if (customer === null) return null
  const { email, firstName, lastName, companyName } = customer
  const { prefix, number } = splitPhone(customer.phone)
  const phone = { phoneCountryPrefix: prefix, phone: number }
  return { email, firstName, lastName, companyName, taxId: null, ...phone, address: addressOf(billingAddress) }
}

function addressOf(address: Address | null) {
  if (address === null) return null
  const { firstName, lastName, address1, city, postalCode, country, countryCode } = address
  return { ...NOT_KNOWN.address, firstName, lastName, address1, city, postalCode, country, countryCode }
}

/** Of exactly this number, else the only one that differs in case or punctuation. */
function bestOrder(answers: readonly { found: readonly FoundOrder[] }[], number: string): FoundOrder | null {
  const orders = answers.flatMap(({ found }) => found)
  const exact = orders.find((order) => order.number === number)
  if (exact) return exact
  const alike = orders.filter((order) => isAlike(order.number, number))
  const [first] = alike
  return first && alike.every((order) => plain(order.number) === plain(first.number)) ? first : null
}

function isAlike(one: string, other: string): boolean {
  return bare(one) === bare(other)
}

function bare(number: string): string {
  return number.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

function plain(number: string): string {
  return /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su.exec(number.toLowerCase())?.[0] ?? ''
}

interface Answer {
  found: readonly FoundOrder[]
}

/** A web and a POS order may share the number: each names the other. */
function disambiguated(answers: readonly Answer[], number: string): Answer[] {
  const isAsked = (order: FoundOrder) => isAlike(order.number, number)
  const found = answers.flatMap((answer) => answer.found).filter(isAsked)
  const web = found.filter(({ posId }) => posId === undefined)
  const posIds = found.flatMap(({ posId }) => posId ?? [])
  const [first] = web
  if (!first || posIds.length === 0) return [...answers]
  return answers.map((answer) => ({
    found: answer.found.map((order) => {
      if (!isAsked(order)) return order
      return order.posId === undefined
        ? { ...order, others: posIds }
        : { ...order, number: order.posId, others: [first.number] }
    }),
  }))
}
