import type { Address } from '../../domain/accounting/sale.ts'
import { type CustomerRecord, mayBeOneName, UNKNOWN_CUSTOMER } from '../../domain/customers/customer-record.ts'
import type { FoundOrder } from '../../domain/orders/order.ts'
import type { ErasedCustomer } from '../../domain/privacy/notice.ts'
import type { Texts } from '../../domain/values/field.ts'
import { splitPhone } from '../../domain/values/phone.ts'
import type { Attempt, Effect } from '../../ports/ports.ts'

/** `whose`: the platform's id of the customer for whom it was last written, where the shop stores that. */
interface Owner {
  whose: string | null
  firstName: string | null
  email: string | null
}

interface Accounts<Account> {
  byId(id: string): Promise<Account | null>
  byEmail(email: string): Promise<Account | null>
  ownerOf(account: Account): Owner
}

export async function accountFor<Account>(
  customer: CustomerRecord,
  attempt: Attempt,
  { byId, byEmail, ownerOf }: Accounts<Account>,
): Promise<Account | null> {
  const { customerId, email } = customer
  const [link] = customerId === null ? [] : await attempt.links('customer', [customerId])
  const linked = link ? await byId(link.theirId) : null
  if (linked && !isOfAnother(ownerOf(linked), customer)) return linked
  return email === null ? null : await byEmail(email)
}

/** A family may share an e-mail address: each would overwrite what the account says of the other. */
export function isOfAnother({ whose, firstName }: Owner, customer: CustomerRecord): boolean {
  if (whose === null || customer.customerId === null || whose === customer.customerId) return false
  return !mayBeOneName(customer, { ...UNKNOWN_CUSTOMER, firstName })
}

export function leftToAnother({ whose }: Owner): Effect {
  return {
    note: `the account with this e-mail address is another customer’s (${whose}), by another first name, and the shop keeps one for each address: nothing was sent`,
  }
}

/** `ofOthers`: accounts that were linked to the data subject, and are another customer's by now. */
export async function accountsToErase<Account extends { id: string | number }>(
  { theirIds, customerIds, emails }: ErasedCustomer,
  { byId, byEmail, ownerOf }: Accounts<Account>,
): Promise<{ own: Account[]; ofOthers: Account[] }> {
  const found = [...(await Promise.all(theirIds.map(byId))), ...(await Promise.all(emails.map(byEmail)))]
  const accounts = new Map(found.flatMap((one) => (one ? [[one.id, one] as const] : [])))
  const isOther = (account: Account) => {
    const { whose, email } = ownerOf(account)
    return whose !== null && !customerIds.includes(whose) && !emails.includes(email?.toLowerCase() ?? '')
  }
  const { own = [], ofOthers = [] } = Object.groupBy(accounts.values(), (one) => (isOther(one) ? 'ofOthers' : 'own'))
  return { own, ofOthers }
}

export function savedCustomer(what: string, { customerId }: CustomerRecord, theirId: string): Effect {
  const note = `customer ${theirId} ${what}`
  return customerId === null ? { note } : { note, links: [{ kind: 'customer', id: customerId, theirId }] }
}

/** A person and an address as any shop has them. `phone`: E.164 if it could be read. */
export type Contact = Texts<'email' | 'firstName' | 'lastName' | 'companyName' | 'phone' | 'address1' | 'address2'> &
  Texts<'city' | 'province' | 'postalCode' | 'country' | 'countryCode'>

export function given<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }
}

function streetOf({ address1, address2 }: Contact): string | null {
  return [address1, address2].filter(Boolean).join(', ') || null
}

export function foundAddress(contact: Contact): Address | null {
  const { firstName, lastName, city, postalCode, country, countryCode } = contact
  const address1 = streetOf(contact)
  if (address1 === null && city === null && postalCode === null) return null
  return { firstName, lastName, address1, city, postalCode, country, countryCode }
}

export function foundCustomer({ email, firstName, lastName, companyName, phone }: Contact): FoundOrder['customer'] {
  return { email, firstName, lastName, companyName, phone }
}

export function customerRecord(extId: string | null, contact: Contact): CustomerRecord {
  const { email, firstName, lastName, companyName, phone, postalCode, city, countryCode } = contact
  const place = { address: streetOf(contact), postalCode, city, countryCode }
  return {
    customerId: null,
    extId,
    email: email?.toLowerCase() ?? null,
    firstName,
    lastName,
    companyName,
    phone,
    ...place,
  }
}

/** Address of `POST /v1/orders`; null if it names no place. Shops fill in the country by themselves. */
export function orderAddress({ email, phone, ...address }: Contact): object | null {
  const { address1, city, postalCode, lastName, companyName } = address
  return address1 || city || postalCode || lastName || companyName ? given(address) : null
}

/** Customer of `POST /v1/orders`. */
export function orderCustomer({ email, firstName, lastName, phone }: Contact): object {
  const { prefix, number } = splitPhone(phone)
  return given({ email, firstName, lastName, phone: number, phoneCountryCode: prefix })
}

/** Customer of `POST /v1/sales` and `/v1/customers`. The sequence of its fields is part of digests. */
export function saleCustomer(extId: string, contact: Contact): Record<string, unknown> {
  const { email, firstName, lastName, companyName, phone, postalCode, city, countryCode } = contact
  const { prefix, number } = splitPhone(phone)
  return given({
    ...{ extId, email, firstName, lastName, companyName, phone: number, phoneCountryPrefix: prefix },
    ...{ address: streetOf(contact), postalCode, city },
    countryCode: countryCode !== null && /^[A-Z]{2}$/.test(countryCode) ? countryCode : null,
  })
}
