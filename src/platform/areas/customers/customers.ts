import { field, flag, idText, text } from '../../../domain/values/field.ts'
import type { Client } from '../../http/client.ts'
import { allPages, readCount } from '../../http/paging.ts'
import { readListed, requiredId, type Unreadable, type WireRecord } from '../../http/read.ts'
import {
  given,
  idOfWritten,
  type SentTime,
  sentDecimal,
  sentId,
  sentText,
  sentTime,
  unsendable,
} from '../../http/written.ts'

/** A customer to obtain or to create. The spec does not show the payload; what is not given is not sent. */
export interface NewCustomer {
  /**
   * The id that the sender knows the customer by. It always goes along: by what else the platform finds a customer is
   * contradictory (phone before e-mail, or the other way round), and two people may share either.
   */
  extId: string
  /** The platform's own id, where it is known: then it is this customer, and no other of the same phone or e-mail. */
  customerId?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  companyName?: string | undefined
  orgNum?: string | undefined
  isCompany?: boolean | undefined
  email?: string | undefined
  /** The number without the country's prefix. */
  phone?: string | undefined
  phoneCountryPrefix?: string | undefined
  address?: string | undefined
  postalCode?: string | undefined
  city?: string | undefined
  /** ISO 3166, two letters. */
  countryCode?: string | undefined
  agreedSendEmail?: boolean | undefined
  agreedSendSms?: boolean | undefined
  tags?: string | undefined
  birthDay?: SentTime | undefined
  birthYear?: number | undefined
  gender?: string | undefined
  /** The language that the customer is written to in: two letters. */
  langCode?: string | undefined
  cardNo?: string | undefined
  /** Decimal text. */
  stdDiscount?: string | undefined
  isEmployee?: boolean | undefined
  isInvoice?: boolean | undefined
  suppressCampaigns?: boolean | undefined
  /** A note about the customer; the platform writes the name so: `despcription`. */
  description?: string | undefined
  registeredStoreId?: string | undefined
}

interface CustomerFilter extends WantedCustomer {
  pageSize?: number | undefined
}

/** Customers (spec, "POS settlements and sales": PUT /api/Customer). No error holds personal data. */
export interface Customers {
  /**
   * PUT /api/Customer: changes the customer of this extId, or creates one; gives the platform's id, which `sales.import`
   * wants. To send it again does nothing twice. An id of 0 or below is a PermanentError `refused`; an answer without an id is
   * an UnknownOutcomeError `no-id`: the customer is very likely there, and asking again tells the id.
   */
  obtain(customer: NewCustomer, signal?: AbortSignal): Promise<string>
  /**
   * POST /api/Customer, which only searches, all pages. A filter that the platform does not know is ignored by it, and then
   * everybody comes: so each one is held against the filter here, and strangers are left out. Gives at the end what is aside.
   */
  search(filter: CustomerFilter, signal?: AbortSignal): AsyncGenerator<PlatformCustomer, Unreadable[], undefined>
  /** DELETE /api/Customer/{customerId}. Not in the spec. One that is not there is a PermanentError `http-404`. */
  delete(customerId: string, signal?: AbortSignal): Promise<void>
}

export function createCustomers(client: Client): Customers {
  return {
    async obtain(customer, signal) {
      const answer = await client.write('customers.obtain', { body: customerBody(customer), signal })
      return idOfWritten(answer, 'customers.obtain', 'customerId')
    },

    async *search({ pageSize = 1_000, ...filter }, signal) {
      if (isNobody(filter))
        throw unsendable('customers.search:', 'it needs an e-mail address, a phone number or external ids.')
      const body = searchedFor(filter)
      const found = allPages({
        operation: 'customers.search',
        things: 'customers',
        pageSize,
        page: (pageSkip) =>
          client.read('customers.search', { body: { ...body, pageSize, pageSkip }, signal }, (answer) =>
            readListed(answer, 'customer', readCustomer),
          ),
        count: (of) => client.read('customers.count', { body: of === 'all' ? {} : body, signal }, readCount),
        idOf: ({ customerId }) => customerId,
      })
      for (;;) {
        const next = await found.next()
        if (next.done) {
          client.aside('customers.search', '', next.value)
          return next.value
        }
        if (isWanted(next.value, filter)) yield next.value
      }
    },

    async delete(customerId, signal) {
      const id = String(sentId(customerId, 'customers.delete: the customerId'))
      await client.write('customers.delete', { path: { customerId: id }, secrets: [id], signal })
    },
  }
}

function customerBody({ extId, customerId, birthDay, registeredStoreId, stdDiscount, ...customer }: NewCustomer) {
  const where = 'customers.obtain:'
  return given({
    customerid: customerId === undefined ? undefined : sentId(customerId, `${where} the customerId`),
    extId: sentText(extId, `${where} the extId`),
    firstName: customer.firstName,
    lastName: customer.lastName,
    companyName: customer.companyName,
    orgNum: customer.orgNum,
    isCompany: customer.isCompany,
    email: customer.email,
    phone: customer.phone,
    phoneCountryPrefix: customer.phoneCountryPrefix,
    address: customer.address,
    postalCode: customer.postalCode,
    city: customer.city,
    countryCode: customer.countryCode,
    agreedSendEmail: customer.agreedSendEmail,
    agreedSendSms: customer.agreedSendSms,
    tags: customer.tags,
    birthDay: sentTime(birthDay, `${where} the birthDay`),
    birthYear: customer.birthYear,
    gender: customer.gender,
    langCode: customer.langCode,
    cardNo: customer.cardNo,
    stdDiscount: stdDiscount === undefined ? undefined : sentDecimal(stdDiscount, `${where} the stdDiscount`),
    isEmployee: customer.isEmployee,
    isInvoice: customer.isInvoice,
    suppressCampaigns: customer.suppressCampaigns,
    despcription: customer.description,
    registeredStoreId:
      registeredStoreId === undefined ? undefined : sentId(registeredStoreId, `${where} the registeredStoreId`),
  })
}

/** A customer as the platform has it; the spec does not show the record. Empty fields are null. */
export interface PlatformCustomer {
  customerId: string
  extId: string | null
  guid: string | null
  firstName: string | null
  lastName: string | null
  companyName: string | null
  orgNum: string | null
  isCompany: boolean | null
  email: string | null
  phone: string | null
  phoneCountryPrefix: string | null
  address: string | null
  postalCode: string | null
  city: string | null
  countryCode: string | null
  agreedSendEmail: boolean | null
  agreedSendSms: boolean | null
  tags: string | null
  registeredStoreId: string | null
  deleted: boolean | null
  /** Times as written: their zone is not shown. */
  created: string | null
  updated: string | null
  record: WireRecord
}

/** Reads both forms, that of the API and that of webhooks (`customerExtId`, `address1`). Throws where there is no id. */
function readCustomer(record: WireRecord): PlatformCustomer {
  return {
    customerId: requiredId(record, 'customerId'),
    extId: idText(record, 'extId') ?? idText(record, 'customerExtId'),
    guid: idText(record, 'customerGuid') ?? idText(record, 'id'),
    firstName: text(record, 'firstName'),
    lastName: text(record, 'lastName'),
    companyName: text(record, 'companyName'),
    orgNum: text(record, 'orgNum') ?? text(record, 'taxId'),
    isCompany: flag(record, 'isCompany'),
    email: text(record, 'email'),
    phone: text(record, 'phone'),
    phoneCountryPrefix: text(record, 'phoneCountryPrefix'),
    address: text(record, 'address') ?? text(field(record, 'address'), 'address1') ?? text(record, 'address1'),
    postalCode: text(record, 'postalCode'),
    city: text(record, 'city'),
    countryCode: text(record, 'countryCode')?.toUpperCase() ?? null,
    agreedSendEmail: flag(record, 'agreedSendEmail'),
    agreedSendSms: flag(record, 'agreedSendSms'),
    tags: text(record, 'tags'),
    registeredStoreId: idText(record, 'registeredStoreId'),
    deleted: flag(record, 'deleted'),
    created: text(record, 'ins') ?? text(record, 'createdDateTime'),
    updated: text(record, 'upt') ?? text(record, 'updatedDateTime'),
    record,
  }
}

/** The customer that a search is for: only those are found that fit everything given. */
interface WantedCustomer {
  email?: string | undefined
  /** The number as people write it: blanks, signs, `+47` or `0047` before it make no difference. */
  phone?: string | undefined
  extIds?: readonly string[] | undefined
}

/** A suffix this long is found however the prefix was written, and is rarely shared. */
const END_OF_NUMBER = 7

/** A search without criteria would return every customer. */
function isNobody({ email = '', phone = '', extIds = [] }: WantedCustomer): boolean {
  return email.trim() === '' && phone.trim() === '' && extIds.length === 0
}

/**
 * The filter as it is sent: `emailContains`, not `email`, which is ignored. Of a phone number only its end: whether the prefix
 * stands within the number or beside it is not known, and who has the same end is left out afterwards.
 */
function searchedFor({ email, phone, extIds }: WantedCustomer) {
  return given({
    emailContains: email?.trim() || undefined,
    phoneContains: phone?.trim() ? endOf(phone) : undefined,
    customerExtIds: extIds && extIds.length > 0 ? extIds.map((id) => id.trim()) : undefined,
  })
}

/** The search matches substrings: keep exact matches only. */
function isWanted(customer: PlatformCustomer, { email, phone, extIds }: WantedCustomer): boolean {
  return (
    (!email?.trim() || customer.email?.toLowerCase() === email.trim().toLowerCase()) &&
    (!phone?.trim() || hasNumber(customer, phone)) &&
    (!extIds || extIds.length === 0 || extIds.some((id) => id.trim() === customer.extId))
  )
}

function endOf(phone: string): string {
  const digits = digitsOf(phone)
  if (digits === '') throw unsendable('customers.search: the phone', 'has no digits.')
  return digits.slice(-END_OF_NUMBER)
}

/** The number with the country's prefix or without it, on either side, wherever the platform keeps it. */
function hasNumber({ phone, phoneCountryPrefix }: PlatformCustomer, wanted: string): boolean {
  const asked = digitsOf(wanted)
  const own = digitsOf(phone ?? '')
  const prefix = digitsOf(phoneCountryPrefix ?? '')
  if (asked === '' || own === '') return false
  const isInternational = /^\s*(\+|00)/.test(phone ?? '') && prefix !== '' && own.startsWith(prefix)
  const national = isInternational ? digitsOf(own.slice(prefix.length)) : own
  return [own, national, prefix + national].includes(asked)
}

/** Digits alone, without zeros before them: 00 stands for +, and a single one is dialled within a country only. */
function digitsOf(phone: string): string {
  return phone.replaceAll(/\D/g, '').replace(/^0+/, '')
}
