import { flag, idText, text } from '../../../domain/values/field.ts'
import type { Client } from '../../http/client.ts'
import { allPages, readCount } from '../../http/paging.ts'
import { readListed, type Unreadable } from '../../http/read.ts'
import { asIs, body, capitals, first, itself, must, named, optional, shape } from '../../http/shape.ts'
import { idOfWritten, sentDecimal, sentId, sentText, sentTime, unsendable } from '../../http/written.ts'

const TEXT = asIs<string>()
const FLAG = asIs<boolean>()

/**
 * The extId always goes along: documents contradict each other on what else the platform matches by, and people may
 * share a phone or an e-mail address.
 */
export const writeCustomer = body({
  customerId: named('customerid', optional(sentId)),
  extId: sentText,
  ...{ firstName: TEXT, lastName: TEXT, companyName: TEXT, orgNum: TEXT, isCompany: FLAG, email: TEXT },
  ...{ phone: TEXT, phoneCountryPrefix: TEXT, address: TEXT, postalCode: TEXT, city: TEXT, countryCode: TEXT },
  ...{ agreedSendEmail: FLAG, agreedSendSms: FLAG, tags: TEXT, birthDay: optional(sentTime) },
  ...{ birthYear: asIs<number>(), gender: TEXT, langCode: TEXT, cardNo: TEXT, stdDiscount: optional(sentDecimal) },
  ...{ isEmployee: FLAG, isInvoice: FLAG, suppressCampaigns: FLAG },
  // The platform's spelling.
  description: named('despcription', TEXT),
  registeredStoreId: optional(sentId),
})

export type NewCustomer = Parameters<typeof writeCustomer>[0]

export const customerShape = shape({
  customerId: must(idText),
  extId: first(idText, 'extId', 'customerExtId'),
  firstName: text,
  lastName: text,
  companyName: text,
  email: text,
  phone: text,
  phoneCountryPrefix: text,
  address: first(text, 'address', 'address.address1', 'address1'),
  postalCode: text,
  city: text,
  countryCode: capitals,
  agreedSendEmail: flag,
  agreedSendSms: flag,
  deleted: flag,
  record: itself,
})

export type PlatformCustomer = ReturnType<typeof customerShape>

interface CustomerFilter {
  email?: string | undefined
  /** In any spelling, with or without `+47` or `0047`. */
  phone?: string | undefined
  extIds?: readonly string[] | undefined
  pageSize?: number | undefined
}

/** Spec, "POS settlements and sales". No error holds personal data. */
export function createCustomers(client: Client) {
  return {
    /**
     * Creates or changes the customer of this extId; repeatable. Throws PermanentError `refused` for an id below 1,
     * UnknownOutcomeError `no-id` without one.
     */
    async obtain(customer: NewCustomer, signal?: AbortSignal): Promise<string> {
      const answer = await client.write('customers.obtain', {
        body: writeCustomer(customer, 'customers.obtain'),
        signal,
      })
      return idOfWritten(answer, 'customers.obtain', 'customerId')
    },

    /**
     * All pages. The platform ignores unknown filters and then answers everybody, so matches are checked here. Returns
     * the rows set aside.
     */
    async *search(
      { pageSize = 1_000, ...filter }: CustomerFilter,
      signal?: AbortSignal,
    ): AsyncGenerator<PlatformCustomer, Unreadable[], undefined> {
      const sent = searchedFor(filter)
      const found = allPages({
        operation: 'customers.search',
        things: 'customers',
        pageSize,
        page: (pageSkip) =>
          client.read('customers.search', { body: { ...sent, pageSize, pageSkip }, signal }, (answer) =>
            readListed(answer, 'customer', customerShape),
          ),
        count: (of) => client.read('customers.count', { body: of === 'all' ? {} : sent, signal }, readCount),
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

    /** Throws PermanentError `http-404` for an unknown one. Not in the spec. */
    async delete(customerId: string, signal?: AbortSignal): Promise<void> {
      const id = String(sentId(customerId, 'customers.delete: the customerId'))
      await client.write('customers.delete', { path: { customerId: id }, secrets: [id], signal })
    },
  }
}

/** A suffix this long is found however the prefix was written, and is rarely shared. */
const END_OF_NUMBER = 7

/** The platform ignores `email`. Only the end of a phone number: where its prefix is stored is not known. */
function searchedFor({ email = '', phone = '', extIds = [] }: CustomerFilter): object {
  if (email.trim() === '' && phone.trim() === '' && extIds.length === 0)
    throw unsendable('customers.search:', 'it needs an e-mail address, a phone number or external ids.')
  const digits = digitsOf(phone)
  if (phone.trim() && digits === '') throw unsendable('customers.search: the phone', 'has no digits.')
  return {
    ...(email.trim() && { emailContains: email.trim() }),
    ...(digits && { phoneContains: digits.slice(-END_OF_NUMBER) }),
    ...(extIds.length > 0 && { customerExtIds: extIds.map((id) => id.trim()) }),
  }
}

/** The search matches substrings: keep exact matches only. */
function isWanted(customer: PlatformCustomer, { email, phone, extIds }: CustomerFilter): boolean {
  return (
    (!email?.trim() || customer.email?.toLowerCase() === email.trim().toLowerCase()) &&
    (!phone?.trim() || hasNumber(customer, phone)) &&
    (!extIds || extIds.length === 0 || extIds.some((id) => id.trim() === customer.extId))
  )
}

/** With or without the country's prefix, on either side. */
function hasNumber({ phone, phoneCountryPrefix }: PlatformCustomer, wanted: string): boolean {
  const asked = digitsOf(wanted)
  const own = digitsOf(phone ?? '')
  const prefix = digitsOf(phoneCountryPrefix ?? '')
  if (asked === '' || own === '') return false
  const isInternational = /^\s*(\+|00)/.test(phone ?? '') && prefix !== '' && own.startsWith(prefix)
  const national = isInternational ? digitsOf(own.slice(prefix.length)) : own
  return [own, national, prefix + national].includes(asked)
}

/** Without leading zeros: 00 stands for +. */
function digitsOf(phone: string): string {
  return phone.replaceAll(/\D/g, '').replace(/^0+/, '')
}
