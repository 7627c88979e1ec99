import type { RequestHandler, Response } from 'express'
import type { Config } from '../../config/config.ts'
import { type CustomerQuery, readCustomerQuery } from '../../domain/customers/customer-query.ts'
import {
  type CustomerRecord,
  filledUp,
  mayBeOneName,
  UNKNOWN_CUSTOMER,
} from '../../domain/customers/customer-record.ts'
import { homeSpellings, phoneOf, splitPhone } from '../../domain/values/phone.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Refused } from '../../lib/http/problem.ts'
import type { Logger } from '../../lib/logger.ts'
import type { PosPriority } from '../pos-priority.ts'
import { sendProblem } from '../problem.ts'
import { chooseSources, createAsk, isCustomer, nameSources, type Source } from './ask.ts'
import { createListTemplate, createLookupRouter, nulls } from './lookup-router.ts'

interface Options {
  posPriority: Pick<PosPriority, 'during'>
  refused: Refused
  clock: Clock
  logger: Logger
}

/** Spec, "Customer lookup in an external CRM". Throws a UserError for wrong config. */
export function createCustomerLookup(
  config: NonNullable<Config['lookups']['customers']>,
  there: readonly Source<CustomerQuery, CustomerRecord>[],
  { posPriority, refused, clock, logger }: Options,
): RequestHandler {
  const { tokens, perMinute, countries, budget, answer: template } = config
  const sources = chooseSources(there, config.ask, 'customers')
  const ask = createAsk(sources, { isFound: isCustomer, budget, clock, logger })
  const shape =
    template === undefined ? null : createListTemplate(template, 'lookups.customers.answer', SAMPLE_CUSTOMERS)
  return createLookupRouter({
    name: 'customers',
    tokens,
    perMinute,
    parameter: 'query',
    clock,
    posPriority,
    refused,
    answer,
  })

  async function answer(asked: string, response: Response, gone: AbortSignal): Promise<void> {
    const query = readCustomerQuery(asked, countries)
    if (query === null) return neither(response)
    const answers = await ask(query, gone)
    if (gone.aborted) return
    const customers = mergePeople(answers.answered, query)
    const { missing, ms } = answers
    nameSources(response, answers)
    response.json(shape ? shape(customers) : customers.map(platformCustomer))
    const from = answers.answered.map(({ source, found }) => `${source} ${found.length}`)
    logger.info({ lookup: 'customers', found: customers.length, from, missing, ms }, 'lookup.answered')
  }
}

function neither(response: Response): void {
  sendProblem(
    response,
    'neither-email-nor-phone',
    'Look for a customer by a whole e-mail address, or by a phone number with or without its country.',
  )
}

/** Facts §4, CustomerCreated; unknown fields are null. */
function platformCustomer({ customerId, extId, address, phone, ...customer }: CustomerRecord) {
  const { prefix, number } = splitPhone(phone)
  return {
    ...NOT_KNOWN,
    ...customer,
    ...{ customerId: idOf(customerId), customerExtId: extId, address1: address },
    ...{ phoneCountryPrefix: prefix, phone: number },
  }
}

const NOT_KNOWN = nulls(
  'taxId gender province country description agreedSendEmail agreedSendSMS isEmployee birthday cardNo tags ' +
    'gdprUpdatedDateTime registeredStoreId createdDateTime updatedDateTime deleted customerGuid',
)

function idOf(customerId: string | null): number | string | null {
  return customerId !== null && /^[1-9]\d{0,14}$/.test(customerId) ? Number(customerId) : customerId
}

interface Found {
  source: string
  found: readonly CustomerRecord[]
}

interface Person {
  record: CustomerRecord
  rows: { source: string; record: CustomerRecord }[]
}

/** The more trusted source's rows are filled up from the others; exact matches first. */
function mergePeople(answers: readonly Found[], query: CustomerQuery): CustomerRecord[] {
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
  return onePhone.length === 1 && only && others.includes(only) && isAlike(only.record, record) ? only : null
}

function mayBeSame({ record: known, rows }: Person, source: string, record: CustomerRecord): boolean {
  if (known.customerId !== null && record.customerId !== null) return known.customerId === record.customerId
  const own = rows.filter((row) => row.source === source)
  return own.every((row) => !differ(row.record.extId, record.extId) && !differ(row.record.email, record.email))
}

function isAlike(one: CustomerRecord, other: CustomerRecord): boolean {
  return !differ(one.email, other.email) && mayBeOneName(one, other)
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
