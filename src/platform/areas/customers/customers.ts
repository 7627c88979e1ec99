import type { Client } from '../../http/client.ts'
import type { Unreadable } from '../../http/listed.ts'
import { allPages, readCount } from '../../http/paging.ts'
import { readListed } from '../../http/read-rows.ts'
import { type SentTime, sentTime } from '../../http/sent-time.ts'
import { given, sentDecimal, sentId, sentText, unsendable } from '../../http/written.ts'
import { idOfWritten } from '../../http/written-id.ts'
import { type PlatformCustomer, readCustomer } from './customer-record.ts'
import { isNobody, isWanted, searchedFor, type WantedCustomer } from './customer-search.ts'

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
  /** Street and number. */
  address?: string | undefined
  postalCode?: string | undefined
  city?: string | undefined
  /** ISO 3166, two letters. */
  countryCode?: string | undefined
  agreedSendEmail?: boolean | undefined
  agreedSendSms?: boolean | undefined
  /** Commas between them. */
  tags?: string | undefined
  birthDay?: SentTime | undefined
  birthYear?: number | undefined
  gender?: string | undefined
  /** The language that the customer is written to in: two letters. */
  langCode?: string | undefined
  /** The number of the card of a club or loyalty scheme. */
  cardNo?: string | undefined
  /** Decimal text. */
  stdDiscount?: string | undefined
  isEmployee?: boolean | undefined
  /** May buy on invoice. */
  isInvoice?: boolean | undefined
  suppressCampaigns?: boolean | undefined
  /** A note about the customer; the platform writes the name so: `despcription`. */
  description?: string | undefined
  registeredStoreId?: string | undefined
}

/** The customers to look for: at least one of e-mail, phone and external ids is given. */
interface CustomerFilter extends WantedCustomer {
  /** Customers of one page; 1000 if it does not say. */
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

/** The customer area of a client. What cannot be sent is a PermanentError that names the field, before anything is sent. */
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
