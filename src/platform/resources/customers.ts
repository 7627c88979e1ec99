import { flag, idText, text } from '../../domain/values/field.ts'
import type { Client } from '../http/client.ts'
import { searchPages } from '../http/paging.ts'
import { asIs, body, first, itself, must, named, optional, shape } from '../http/shape.ts'
import { idOfWritten, sentDecimal, sentId, sentText, sentTime, unsendable } from '../http/written.ts'

const TEXT = asIs<string>()
const FLAG = asIs<boolean>()

/** The extId always goes along: people may share a phone or an e-mail address. */
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
  email: text,
  deleted: flag,
  record: itself,
})

export type PlatformCustomer = ReturnType<typeof customerShape>

interface CustomerFilter {
  email?: string
  extIds?: readonly string[]
  pageSize?: number
}

export function createCustomers(client: Client) {
  return {
    /** Repeatable by extId. Throws UnknownOutcomeError `no-id` without an id. */
    async obtain(customer: NewCustomer, signal?: AbortSignal): Promise<string> {
      const answer = await client.write('customers.obtain', {
        body: writeCustomer(customer, 'customers.obtain'),
        signal,
      })
      return idOfWritten(answer, 'customers.obtain', 'customerId')
    },

    /** The platform ignores unknown filters and then answers with all customers, so matches are checked here. */
    search({ pageSize, ...filter }: CustomerFilter, signal?: AbortSignal) {
      return searchPages<PlatformCustomer>(
        client,
        {
          search: 'customers.search',
          count: 'customers.count',
          things: 'customer',
          filter: searchedFor(filter),
          pageSize,
          read: customerShape,
          idOf: ({ customerId }) => customerId,
          isAsked: (customer) => isWanted(customer, filter),
        },
        signal,
      )
    },

    async delete(customerId: string, signal?: AbortSignal): Promise<void> {
      const id = String(sentId(customerId, 'customers.delete: the customerId'))
      await client.write('customers.delete', { path: { customerId: id }, secrets: [id], signal })
    },
  }
}

function searchedFor({ email = '', extIds = [] }: CustomerFilter): object {
  if (email.trim() === '' && extIds.length === 0)
    throw unsendable('customers.search:', 'it needs an e-mail address or external ids.')
  return {
    ...(email.trim() && { emailContains: email.trim() }),
    ...(extIds.length > 0 && { customerExtIds: extIds.map((id) => id.trim()) }),
  }
}

/** The search matches substrings: keep exact matches only. */
function isWanted(customer: PlatformCustomer, { email, extIds }: CustomerFilter): boolean {
  return (
    (!email?.trim() || customer.email?.toLowerCase() === email.trim().toLowerCase()) &&
    (!extIds || extIds.length === 0 || extIds.some((id) => id.trim() === customer.extId))
  )
}
