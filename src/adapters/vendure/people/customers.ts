import type { CustomerQuery } from '../../../domain/people/customer-query.ts'
import type { CustomerRecord } from '../../../domain/people/customer-record.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import type { ShopCustomer } from '../operations.ts'
import type { Shop } from '../shop.ts'
import { given } from './addresses.ts'
import { spellingsOf } from './phones.ts'
import { customersBy, isOfAnother, noteWhose, whoseIs } from './whose.ts'

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
