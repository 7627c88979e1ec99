import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import type { Address, Customer } from '../../../domain/books/sale.ts'
import type { TillOrder } from '../../../domain/orders/order.ts'
import type { CustomerQuery } from '../../../domain/people/customer-query.ts'
import { type CustomerRecord, mayBeOneName, UNKNOWN_CUSTOMER } from '../../../domain/people/customer-record.ts'
import type { ForgottenCustomer } from '../../../domain/people/erasing/notice.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import { counted } from '../../../domain/values/text.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import type { ShopCustomer } from '../operations.ts'
import type { Shop } from '../shop.ts'

interface AddressInput {
  fullName?: string
  company?: string
  streetLine1: string
  city?: string
  postalCode?: string
  countryCode: string
  phoneNumber?: string
}

/** Where it goes; the name is the customer's where the address has none. Null: there is no address, or no country. */
export function shippingOf({ shippingAddress, customer, store }: TillOrder): AddressInput | null {
  return shippingAddress && addressInput(shippingAddress, customer, store.address?.countryCode ?? null)
}

export function billingOf({ customer, store }: TillOrder): AddressInput | null {
  return customer?.address ? addressInput(customer.address, customer, store.address?.countryCode ?? null) : null
}

/** Vendure takes no address without a country; the till's is the likeliest. */
function addressInput(address: Address, customer: Customer | null, home: string | null): AddressInput | null {
  const countryCode = address.countryCode ?? customer?.address?.countryCode ?? home
  if (countryCode === null) return null
  const named = address.firstName !== null || address.lastName !== null ? address : customer
  return {
    ...given({
      fullName: [named?.firstName, named?.lastName].filter(Boolean).join(' ') || null,
      company: customer?.companyName ?? null,
      city: address.city,
      postalCode: address.postalCode,
      phoneNumber: customer?.phone ?? null,
    }),
    streetLine1: address.address1 ?? '',
    countryCode,
  }
}

/** Without what is null: Vendure takes null for "make it empty". */
export function given<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }
}

/** How a shop's customers may have written their number: it keeps them as typed, and compares whole texts. */
function spellingsOf(numbers: readonly string[], typed: string): string[] {
  const all = numbers.flatMap((number) => {
    const read = parsePhoneNumberFromString(number)
    if (!read) return [number]
    const national = read.formatNational()
    return [
      read.number,
      read.formatInternational(),
      national,
      national.replaceAll(/\D/g, ''),
      read.nationalNumber,
      `00${read.number.slice(1)}`,
      read.number.slice(1),
      `+${read.countryCallingCode} ${read.nationalNumber}`,
    ]
  })
  return [...new Set([...all, typed])].filter((spelling) => spelling !== '')
}

/** A number in two parts, as the platform has it: `47` and `91234567`. Without a country it stays as it is written. */
export function phoneParts(
  written: string | null | undefined,
  country: string | null | undefined,
): { phone: string | null; prefix: string | null } {
  if (!written) return { phone: null, prefix: null }
  const home = country && isSupportedCountry(country) ? country : undefined
  const read = parsePhoneNumberFromString(written, home)
  return read
    ? { phone: read.nationalNumber, prefix: read.countryCallingCode }
    : { phone: written.trim() || null, prefix: null }
}

/* Whose a customer of the shop is on the platform: Vendure has no field for it, so a note tells that only people in the shop read. */

const MARK = /\[tillbridge customer ([^\]\s]+)\]/

async function customersBy({ api, operations }: Shop, filter: object, signal: AbortSignal): Promise<ShopCustomer[]> {
  const history = { filter: { type: { eq: 'CUSTOMER_NOTE' } }, take: 100 }
  return (await api.run(operations.notedCustomers, { options: { filter, take: 1 }, history }, signal)).items
}

function whoseIs({ history }: ShopCustomer): { noteId: string; customerId: string } | null {
  for (const { id, data } of history?.items ?? []) {
    const [, named] = MARK.exec(String(data.note)) ?? []
    if (named !== undefined) return { noteId: id, customerId: decodeURIComponent(named) }
  }
  return null
}

/** A family may share an e-mail address: each of them would write over what the shop's customer says of the other. */
function isOfAnother(account: ShopCustomer, customer: CustomerRecord): boolean {
  const whose = whoseIs(account)?.customerId ?? null
  if (whose === null || customer.customerId === null || whose === customer.customerId) return false
  return !mayBeOneName(customer, { ...UNKNOWN_CUSTOMER, firstName: account.firstName ?? null })
}

async function noteWhose(
  { api, operations }: Shop,
  account: Pick<ShopCustomer, 'id' | 'history'>,
  customerId: string | null,
  signal: AbortSignal,
): Promise<void> {
  const before = whoseIs(account as ShopCustomer)
  if (customerId === null || before?.customerId === customerId) return
  const note = `Customer of the stores [tillbridge customer ${encodeURIComponent(customerId)}]`
  if (before) await api.run(operations.updateCustomerNote, { input: { noteId: before.noteId, note } }, signal)
  else await api.run(operations.addCustomerNote, { input: { id: account.id, note, isPublic: false } }, signal)
}

/** As many rows as a person looks through. */
const MAX_ROWS = 20

/**
 * Creates or updates: by the shop's id where the hub knows it, else by the e-mail address. What is null stays as it is. Vendure has one
 * customer for an e-mail address: of a family it stays the first one's.
 */
export async function upsertCustomer(shop: Shop, customer: CustomerRecord, attempt: Attempt): Promise<Effect> {
  const { signal } = attempt
  const known = await knownCustomer(shop, customer, attempt)
  if (!known && customer.email === null)
    return { note: 'left out: Vendure takes no customer without an e-mail address' }
  if (known && isOfAnother(known, customer))
    return {
      note: `the customer with this e-mail address is another one’s (${whoseIs(known)?.customerId}), by another first name, and the shop keeps one for each address: nothing was sent`,
    }
  const id = known?.id ?? (await create(shop, customer, signal))
  // First of all, so that none of a family writes to what is another's.
  await noteWhose(shop, known ?? { id, history: null }, customer.customerId, signal)
  if (known) await update(shop, known, customer, signal)
  await saveAddress(shop, id, known, customer, signal)
  const links = customer.customerId === null ? [] : [{ kind: 'customer', id: customer.customerId, theirId: id }]
  return { links, note: `customer ${id} ${known ? 'updated' : 'created'}` }
}

/** Customers with exactly this e-mail address, or this phone number in one of the ways in which people write it. */
export async function searchCustomers(
  { api, operations }: Shop,
  query: CustomerQuery,
  signal: AbortSignal,
): Promise<CustomerRecord[]> {
  const filter =
    query.type === 'email'
      ? { emailAddress: { eq: query.email } }
      : { phoneNumber: { in: spellingsOf(query.numbers, query.typed) } }
  const { items } = await api.run(operations.customers, { options: { filter, take: MAX_ROWS } }, signal)
  return items.map(recordOf)
}

async function knownCustomer(shop: Shop, customer: CustomerRecord, attempt: Attempt): Promise<ShopCustomer | null> {
  const { customerId, email } = customer
  const [link] = customerId === null ? [] : await attempt.links('customer', [customerId])
  if (link) {
    const [linked] = await customersBy(shop, { id: { eq: link.theirId } }, attempt.signal)
    if (linked && !isOfAnother(linked, customer)) return linked
  }
  if (email === null) return null
  const [named] = await customersBy(shop, { emailAddress: { eq: email } }, attempt.signal)
  return named ?? null
}

async function create({ api, operations }: Shop, customer: CustomerRecord, signal: AbortSignal): Promise<string> {
  const { email: emailAddress, firstName, lastName, companyName, phone: phoneNumber } = customer
  const names = { firstName: firstName ?? '', lastName: lastName ?? companyName ?? '' }
  const input = { ...names, ...given({ emailAddress, phoneNumber }) }
  return (await api.run(operations.createCustomer, { input }, signal)).id
}

async function update(
  { api, operations }: Shop,
  { id, emailAddress: before }: ShopCustomer,
  customer: CustomerRecord,
  signal: AbortSignal,
): Promise<void> {
  const { email, firstName, lastName, phone: phoneNumber } = customer
  // A registered customer logs in with it: only another one is written.
  const emailAddress = email === before ? null : email
  const input = { id, ...given({ firstName, lastName, phoneNumber, emailAddress }) }
  await api.run(operations.updateCustomer, { input }, signal)
}

/** The address that bills go to; Vendure takes none without a country. */
async function saveAddress(
  { api, operations }: Shop,
  customerId: string,
  known: ShopCustomer | null,
  { address, postalCode, city, countryCode, companyName: company, phone: phoneNumber }: CustomerRecord,
  signal: AbortSignal,
): Promise<void> {
  const place = given({ streetLine1: address, postalCode, city, countryCode })
  if (Object.keys(place).length === 0) return
  const own = known?.addresses ?? []
  const before = own.find(({ defaultBillingAddress }) => defaultBillingAddress) ?? own[0]
  if (before) {
    await api.run(operations.updateAddress, { input: { id: before.id, ...given({ company }), ...place } }, signal)
    return
  }
  if (countryCode === null) return
  const whole = { streetLine1: '', ...place, countryCode, ...given({ company, phoneNumber }) }
  const input = { ...whole, defaultBillingAddress: true, defaultShippingAddress: true }
  await api.run(operations.createAddress, { customerId, input }, signal)
}

function recordOf({ id, firstName, lastName, emailAddress, phoneNumber, addresses }: ShopCustomer): CustomerRecord {
  const address = addresses?.find(({ defaultBillingAddress }) => defaultBillingAddress) ?? addresses?.[0]
  return {
    customerId: null,
    extId: id,
    email: emailAddress?.toLowerCase() ?? null,
    firstName: firstName || null,
    lastName: lastName || null,
    companyName: address?.company || null,
    phone: phoneNumber || null,
    address: address?.streetLine1 || null,
    postalCode: address?.postalCode || null,
    city: address?.city || null,
    countryCode: address?.country.code ?? null,
  }
}

/**
 * Forgets a customer of the shop: addresses are deleted, names become the pseudonym, then the customer is deleted. In this order,
 * since Vendure keeps the row of a deleted customer, and does not show it any more. Addresses of orders that are placed stay: its
 * Admin API changes them only while an order is being modified. So does the history of the customer, into which Vendure writes each
 * change of name and address: its Admin API deletes nothing of it but notes.
 */
export async function eraseCustomer(shop: Shop, who: ForgottenCustomer, signal: AbortSignal): Promise<Effect> {
  const filters = [
    ...who.theirIds.map((id) => ({ id: { eq: id } })),
    ...who.emails.map((email) => ({ emailAddress: { eq: email } })),
  ]
  const found = new Map<string, ShopCustomer>()
  for (const filter of filters) for (const one of await customersBy(shop, filter, signal)) found.set(one.id, one)
  const ofOthers = [...found.values()].filter((one) => isOfOtherSubject(one, who))
  for (const { id } of ofOthers) found.delete(id)
  for (const customer of found.values()) await eraseOne(shop, customer, who.pseudonym, signal)
  const facts = [
    `${counted(found.size, 'customer')} deleted`,
    ...(ofOthers.length > 0
      ? [`a customer is another one’s, and stays: ${ofOthers.map(({ id }) => id).join(', ')}`]
      : []),
    ...(found.size > 0 ? ['what the shop wrote into their history stays in its database'] : []),
    ...(who.orders.length > 0 ? [`addresses of ${counted(who.orders.length, 'order')} stay there`] : []),
  ]
  return { note: facts.join('; ') }
}

/** Whether the hub knows it as theirs, and it is another one's by now: a family may share an address. */
function isOfOtherSubject(one: ShopCustomer, { customerIds, emails }: ForgottenCustomer): boolean {
  const whose = whoseIs(one)
  return whose !== null && !customerIds.includes(whose.customerId) && !emails.includes(one.emailAddress ?? '')
}

async function eraseOne(
  { api, operations }: Shop,
  customer: ShopCustomer,
  pseudonym: string,
  signal: AbortSignal,
): Promise<void> {
  const { id, addresses } = customer
  const whose = whoseIs(customer)
  if (whose) await api.run(operations.deleteCustomerNote, { id: whose.noteId }, signal)
  for (const address of addresses ?? []) await api.run(operations.deleteAddress, { id: address.id }, signal)
  // No two customers have one address.
  const emailAddress = `${pseudonym}-${id}@erased.invalid`
  const input = { id, firstName: pseudonym, lastName: '', phoneNumber: '', emailAddress }
  await api.run(operations.updateCustomer, { input }, signal)
  const { result } = await api.run(operations.deleteCustomer, { id }, signal)
  if (result !== 'DELETED')
    throw new PermanentError(
      `${api.destination}: the shop did not delete customer ${id}, who has no name there any more`,
      { code: 'not-deleted' },
    )
}
