import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import {
  type Address,
  type Attempt,
  accountFor,
  accountsToErase,
  type Contact,
  type CustomerQuery,
  type CustomerRecord,
  customerRecord,
  type Effect,
  type ErasedCustomer,
  given,
  isOfAnother,
  leftToAnother,
  PermanentError,
  type PosOrder,
  pluralize,
  savedCustomer,
} from 'tillbridge/adapter'
import type { ShopCustomer } from './operations.ts'
import { contactOf } from './orders/shop-order.ts'
import type { Shop } from './shop.ts'

/** Vendure requires a country: the store's is the likeliest. */
export function addressInput(
  address: Address | null | undefined,
  { customer, store }: Pick<PosOrder, 'customer' | 'store'>,
): object | null {
  if (!address) return null
  const countryCode = address.countryCode ?? customer?.address?.countryCode ?? store.address?.countryCode ?? null
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

/** Vendure compares phone numbers as text. */
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

const MARK = /\[tillbridge customer ([^\]\s]+)\]/

async function customerBy(
  { api, operations }: Shop,
  filter: object,
  signal: AbortSignal,
): Promise<ShopCustomer | null> {
  const history = { filter: { type: { eq: 'CUSTOMER_NOTE' } }, take: 100 }
  const { items } = await api.run(operations.notedCustomers, { options: { filter, take: 1 }, history }, signal)
  return items[0] ?? null
}

function whoseIs({ history }: ShopCustomer): { noteId: string; customerId: string } | null {
  for (const { id, data } of history?.items ?? []) {
    const [, named] = MARK.exec(String(data.note)) ?? []
    if (named !== undefined) return { noteId: id, customerId: decodeURIComponent(named) }
  }
  return null
}

function accountsOf(shop: Shop, signal: AbortSignal) {
  return {
    byId: (id: string) => customerBy(shop, { id: { eq: id } }, signal),
    byEmail: (email: string) => customerBy(shop, { emailAddress: { eq: email } }, signal),
    ownerOf,
  }
}

function ownerOf(one: ShopCustomer) {
  const { firstName = null, emailAddress: email = null } = one
  return { whose: whoseIs(one)?.customerId ?? null, firstName, email }
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

const MAX_ROWS = 20

export async function upsertCustomer(shop: Shop, customer: CustomerRecord, attempt: Attempt): Promise<Effect> {
  const { signal } = attempt
  const known = await accountFor(customer, attempt, accountsOf(shop, signal))
  if (!known && customer.email === null)
    return { note: 'left out: Vendure takes no customer without an e-mail address' }
  if (known && isOfAnother(ownerOf(known), customer)) return leftToAnother(ownerOf(known))
  const id = known?.id ?? (await create(shop, customer, signal))
  // First: another family member must not overwrite it.
  await noteWhose(shop, known ?? { id, history: null }, customer.customerId, signal)
  if (known) await update(shop, known, customer, signal)
  await saveAddress(shop, id, known, customer, signal)
  return savedCustomer(known ? 'updated' : 'created', customer, id)
}

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
  return items.map((one) => customerRecord(one.id, contactOfAccount(one)))
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
  const emailAddress = email === before ? null : email
  const input = { id, ...given({ firstName, lastName, phoneNumber, emailAddress }) }
  await api.run(operations.updateCustomer, { input }, signal)
}

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

function contactOfAccount({ firstName, lastName, emailAddress, phoneNumber, addresses }: ShopCustomer): Contact {
  const address = addresses?.find(({ defaultBillingAddress }) => defaultBillingAddress) ?? addresses?.[0]
  const place = contactOf({ ...address, country: null, countryCode: address?.country.code })
  return {
    ...place,
    email: emailAddress ?? null,
    firstName: firstName || null,
    lastName: lastName || null,
    phone: phoneNumber || null,
  }
}

/** The pseudonym comes first, as Vendure keeps deleted rows. Addresses of orders and the history cannot be deleted by the Admin API. */
export async function eraseCustomer(shop: Shop, who: ErasedCustomer, signal: AbortSignal): Promise<Effect> {
  const { own, ofOthers } = await accountsToErase(who, accountsOf(shop, signal))
  for (const customer of own) await eraseOne(shop, customer, who.pseudonym, signal)
  const facts = [
    `${pluralize(own.length, 'customer')} deleted`,
    ofOthers.length > 0 && `a customer is another one’s, and stays: ${ofOthers.map(({ id }) => id).join(', ')}`,
    own.length > 0 && 'what the shop wrote into their history stays in its database',
    who.orders.length > 0 && `addresses of ${pluralize(who.orders.length, 'order')} stay there`,
  ]
  return { note: facts.filter((fact) => fact !== false).join('; ') }
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
