import { randomBytes } from 'node:crypto'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { z } from 'zod'
import type { CustomerQuery } from '../../../domain/people/customer-query.ts'
import { type CustomerRecord, mayBeOneName, UNKNOWN_CUSTOMER } from '../../../domain/people/customer-record.ts'
import type { ForgottenCustomer } from '../../../domain/people/erasing/notice.ts'
import { isNotThere, PermanentError } from '../../../domain/values/errors.ts'
import { counted } from '../../../domain/values/text.ts'
import type { Attempt, Effect, Question } from '../../../ports/attempt.ts'
import type { CustomersPort } from '../../../ports/customers.ts'
import { pagesOf, readOne, type ShopApi, saysCode } from '../api.ts'
import { id, optional, part, readable, text, withoutNulls, word } from '../document.ts'
import { accountAddress, isStaff, ShopCustomer, saidOf } from '../intake/customer.ts'
import { isEmail, type KnownAddress, META, Meta, metaOf, phoneIn, ShopAddress, streetOf } from '../shop-order.ts'

/**
 * For `POST` and `PUT` of customers. What is not known is left out, and stays in the shop as it is. So does the e-mail address of
 * the account (`known`) where it differs by capitals only: WooCommerce takes that for somebody else's. Meta data keep whose
 * account it is, and what it says then: so the shop's own webhook about it is told from a change that somebody makes there.
 */
function customerBody(customer: CustomerRecord, known: ShopCustomer | null = null): object {
  const { customerId, firstName, lastName, companyName, phone, address, postalCode, city, countryCode } = customer
  const email = customer.email !== null && isEmail(customer.email) ? customer.email : null
  const body = withoutNulls({
    email: email?.toLowerCase() === known?.email?.toLowerCase() ? null : email,
    first_name: firstName,
    last_name: lastName,
    billing: {
      first_name: firstName,
      last_name: lastName,
      company: companyName,
      address_1: address,
      postcode: postalCode,
      city,
      country: countryCode,
      phone,
      email,
    },
  })
  const said = saidOf({ ...known, ...body, billing: { ...known?.billing, ...body.billing } })
  const whose = customerId === null ? [] : [{ key: META.customer, value: customerId }]
  return { ...body, meta_data: [...whose, { key: META.said, value: said }] }
}

const Ordered = z.object({ customer_id: optional(id), billing: ShopAddress })

const MOST_ORDERS = '20'

async function byEmail(api: ShopApi, email: string, signal: AbortSignal): Promise<ShopCustomer | null> {
  const { value } = await api.get('/customers', { email, role: 'all' }, z.array(ShopCustomer), signal)
  // Compared here again: `*` in an address is a wildcard for WordPress.
  return value.find((one) => one.email?.toLowerCase() === email.toLowerCase()) ?? null
}

/**
 * Customers for a till that waits. WooCommerce finds accounts by e-mail address, but by no phone number; its orders it does
 * search by all that is in their addresses. So a number is looked for there, and who ordered with it is the answer, with an
 * account or without one.
 */
function createCustomerSearch(api: ShopApi): (query: CustomerQuery, question: Question) => Promise<CustomerRecord[]> {
  return async (query, { signal }) => {
    if (query.type === 'email') {
      const found = await byEmail(api, query.email, signal)
      return found ? [recordOf(String(found.id), accountAddress(found))] : []
    }
    const spellings = spellingsOf(query)
    const answers = await Promise.all(spellings.map((spelling) => ordersWith(spelling, signal)))
    const own = answers.flat().filter(({ billing }) => query.numbers.includes(phoneIn(billing) ?? ''))
    const people = new Map<string, CustomerRecord>()
    for (const { customer_id, billing } of own) {
      const who = customer_id ? String(customer_id) : (billing.email?.toLowerCase() ?? '')
      if (!people.has(who)) people.set(who, recordOf(customer_id ? String(customer_id) : null, billing))
    }
    return [...people.values()]
  }

  async function ordersWith(spelling: string, signal: AbortSignal): Promise<z.output<typeof Ordered>[]> {
    const asked = {
      search: spelling,
      orderby: 'date',
      order: 'desc',
      per_page: MOST_ORDERS,
      _fields: 'customer_id,billing',
    }
    return (await api.get('/orders', asked, z.array(Ordered), signal)).value
  }
}

/**
 * A number is found within what is written, but not across blanks: so as it is dialled at home, in the groups of its country,
 * and in those that people make besides, pairs and three at the ends.
 */
function spellingsOf({ numbers, typed }: Extract<CustomerQuery, { type: 'phone' }>): string[] {
  const likeliest = parsePhoneNumberFromString(numbers[0] ?? '')
  if (!likeliest) return [typed]
  const { nationalNumber: home } = likeliest
  const inGroups = likeliest.formatInternational().replace(/^\+\d+ /, '')
  const pairs = home.replaceAll(/(\d\d)(?=\d)/g, '$1 ')
  const ends = home.replace(/^(\d{3})(\d{2,})(\d{3})$/, '$1 $2 $3')
  return [...new Set([home, inGroups, pairs, ends, typed])]
}

function recordOf(extId: string | null, address: KnownAddress): CustomerRecord {
  return {
    customerId: null,
    extId,
    email: address.email?.toLowerCase() ?? null,
    firstName: address.first_name ?? null,
    lastName: address.last_name ?? null,
    companyName: address.company ?? null,
    phone: phoneIn(address),
    address: streetOf(address),
    postalCode: address.postcode ?? null,
    city: address.city ?? null,
    countryCode: address.country?.toUpperCase() ?? null,
  }
}

const Person = part({ first_name: text, email: text })

const Placed = z.object({ id, status: word, total: word, billing: Person, shipping: Person, meta_data: readable(Meta) })
type Placed = z.output<typeof Placed>

const Answered = z.object({ id })

/** Orders for which nobody needs a name or an address any more. Of others goods are still to be sent, or money is to come. */
const OVER = new Set(['completed', 'cancelled', 'refunded', 'failed', 'trash'])

/**
 * Forgets a customer of the shop: orders that are over say the pseudonym from now on, then the account goes. WooCommerce has its own
 * eraser, but no REST API for it; `PUT /orders/{id}` and `DELETE /customers/{id}?force=true` do the same for what they reach, which
 * is not the IP address of an order, nor notes that people wrote. Throws a PermanentError where orders are not over yet.
 */
async function eraseCustomer(api: ShopApi, who: ForgottenCustomer, signal: AbortSignal): Promise<Effect> {
  const { accounts, ofOthers } = await accountsOf(api, who, signal)
  const orders = await ordersOf(api, who, accounts, signal)
  const open = orders.filter(({ status }) => !OVER.has(status))
  const otherwise: number[] = []
  for (const order of orders)
    if (OVER.has(order.status) && !(await forget(api, order, who.pseudonym, signal))) otherwise.push(order.id)
  for (const { id } of accounts) await remove(api, id, signal)
  const check = [
    otherwise.length === 0 ? '' : `; the shop computed other totals, please check: ${otherwise.join(', ')}`,
    ofOthers.length === 0
      ? ''
      : `; an account is another customer’s, and stays: ${ofOthers.map(({ id }) => id).join(', ')}`,
  ].join('')
  if (open.length > 0)
    throw new PermanentError(
      `${counted(open.length, 'order')} of the customer ${open.length === 1 ? 'is' : 'are'} not over yet (${open
        .slice(0, 5)
        .map(({ id, status }) => `${id} ${status}`)
        .join(
          ', ',
        )}), and still say who it is: retry this delivery once they are. All else is forgotten there${check}.`,
      { code: 'orders-not-over' },
    )
  return {
    note: `${counted(accounts.length, 'account')} deleted, ${counted(orders.length, 'order')} without a name${check}`,
  }
}

/**
 * Whether the total stayed. With an address WooCommerce computes an order anew, by the taxes of today, so that what was booked years ago
 * would become another amount. It does not where the fields are named as meta data; a shop that does not know them by that, as its
 * answer shows, is sent the address.
 */
async function forget(api: ShopApi, order: Placed, pseudonym: string, signal: AbortSignal): Promise<boolean> {
  const path = `/orders/${order.id}`
  const { billing, shipping, meta_data, ...rest } = withoutPerson(order, pseudonym)
  const fields = Object.entries({ billing, shipping }).flatMap(([which, address]) =>
    Object.entries(address).map(([field, value]) => ({ key: `_${which}_${field}`, value })),
  )
  const answer = await api.write('PUT', path, { ...rest, meta_data: [...meta_data, ...fields] }, Placed, signal)
  const isForgotten = [answer.billing, answer.shipping].every(({ first_name }) => first_name === pseudonym)
  if (isForgotten && answer.billing.email === billing.email) return answer.total === order.total
  return (await api.write('PUT', path, { billing, shipping }, Placed, signal)).total === order.total
}

/**
 * The accounts of the customer, and those that the hub knows as theirs and that are another's by now: a family may share an address.
 * Throws a PermanentError where one of them is of somebody who works in the shop.
 */
async function accountsOf(api: ShopApi, { theirIds, emails, customerIds }: ForgottenCustomer, signal: AbortSignal) {
  const linked = theirIds
    .filter((id) => /^\d+$/.test(id))
    .map((id) => readOne(api, `/customers/${id}`, ShopCustomer, signal))
  const named = emails.filter(isEmail).map((email) => byEmail(api, email, signal))
  const found = (await Promise.all([...linked, ...named])).filter((one) => one !== null)
  const isOfAnother = (one: ShopCustomer) => {
    const whose = metaOf(one, META.customer)
    return whose !== null && !customerIds.includes(whose) && !emails.includes(one.email?.toLowerCase() ?? '')
  }
  const [accounts, ofOthers] = [found.filter((one) => !isOfAnother(one)), found.filter(isOfAnother)]
  if (accounts.some(isStaff))
    throw new PermanentError('the account is of somebody who works in the shop: nothing was changed there', {
      code: 'staff-account',
    })
  return { accounts: [...new Map(accounts.map((one) => [one.id, one])).values()], ofOthers }
}

/** Those of the accounts, those that the hub made for the person, and those of a guest with the same address. */
async function ordersOf(
  api: ShopApi,
  { orders, emails, customerIds }: ForgottenCustomer,
  accounts: readonly ShopCustomer[],
  signal: AbortSignal,
): Promise<Placed[]> {
  const found = new Map<number, Placed>()
  const own = new Set([...emails, ...accounts.map(({ email }) => email ?? '')].map((email) => email.toLowerCase()))
  for (const { id } of accounts)
    for (const order of await list(api, { customer: String(id) }, signal)) found.set(order.id, order)
  for (const email of own)
    if (isEmail(email))
      for (const order of await list(api, { search: email }, signal))
        if (order.billing.email?.toLowerCase() === email) found.set(order.id, order)
  for (const id of orders.filter((one) => /^\d+$/.test(one))) {
    const order = await readOne(api, `/orders/${id}`, Placed, signal)
    const email = order?.billing.email?.toLowerCase()
    // Somebody else's order may have the same number; of one that the hub made it knows whose it is, where a family has one address.
    const whose = order && metaOf(order, META.customer)
    const isTheirs = whose ? customerIds.includes(whose) : !email
    if (order && (isTheirs || (email && own.has(email)))) found.set(order.id, order)
  }
  return [...found.values()]
}

async function list(api: ShopApi, query: Record<string, string>, signal: AbortSignal): Promise<Placed[]> {
  const all: Placed[] = []
  for (const status of ['any', 'trash'])
    for await (const page of pagesOf(api, '/orders', { ...query, status, orderby: 'id', order: 'asc' }, Placed, {
      signal,
    }))
      all.push(...page)
  return all
}

async function remove(api: ShopApi, id: number, signal: AbortSignal): Promise<void> {
  try {
    await api.write('DELETE', `/customers/${id}?force=true`, {}, Answered, signal)
  } catch (error) {
    if (!isNotThere(error)) throw error
  }
}

/** Country and state stay: taxes go by them. */
function withoutPerson({ meta_data }: Placed, pseudonym: string) {
  const nobody = {
    first_name: pseudonym,
    last_name: '',
    company: '',
    address_1: '',
    address_2: '',
    city: '',
    postcode: '',
  }
  const ours = meta_data.filter(({ key }) => key === META.customer || key === META.email)
  return {
    billing: { ...nobody, email: `${pseudonym}@erased.invalid`, phone: '' },
    shipping: { ...nobody, phone: '' },
    customer_note: '',
    meta_data: ours.map(({ key }) => ({ key, value: pseudonym })),
  }
}

const Saved = z.object({ id })

const NO_EMAIL = 'the shop keeps no customer without an e-mail address, and this one has none: nothing was sent'
const REFUSED_EMAIL = 'the e-mail address is none that WordPress takes: nothing was sent'

/**
 * Customers with an account of the shop. An e-mail address has one account at most, so that a customer who is created twice is
 * the same one: an uncertain attempt is simply made again.
 */
export function createWooCustomers(api: ShopApi): CustomersPort {
  return {
    async upsert(customer, attempt) {
      const link = await linked(customer, attempt)
      const known = link && !isOfAnother(link, customer) ? link : await withEmail(customer, attempt)
      if (known !== null) return await update(known, customer, attempt)
      if (customer.email === null) return { note: NO_EMAIL }
      if (!isEmail(customer.email)) return { note: REFUSED_EMAIL }
      return await create(customer, attempt)
    },
    erase: (who, { signal }) => eraseCustomer(api, who, signal),
    search: createCustomerSearch(api),
  }

  async function linked({ customerId }: CustomerRecord, attempt: Attempt): Promise<ShopCustomer | null> {
    if (customerId === null) return null
    const [link] = await attempt.links('customer', [customerId])
    if (!link) return null
    return await readOne(api, `/customers/${encodeURIComponent(link.theirId)}`, ShopCustomer, attempt.signal)
  }

  async function withEmail({ email }: CustomerRecord, { signal }: Attempt): Promise<ShopCustomer | null> {
    if (email === null || !isEmail(email)) return null
    return await byEmail(api, email, signal)
  }

  async function create(customer: CustomerRecord, attempt: Attempt): Promise<Effect> {
    try {
      return effectOf('created', customer, await post(customerBody(customer), attempt.signal))
    } catch (error) {
      // Somebody was faster, or an attempt whose answer was lost.
      if (saysCode(error, 'registration-error-email-exists')) {
        const known = await withEmail(customer, attempt)
        if (known !== null) return await update(known, customer, attempt)
      }
      throw error
    }
  }

  /** The shop says that something is missing, not what: it makes no passwords itself, or no names, or neither. */
  async function post(body: object, signal: AbortSignal, more = whatShopsLeaveOut()): Promise<z.output<typeof Saved>> {
    try {
      return await api.write('POST', '/customers', body, Saved, signal)
    } catch (error) {
      const [next, ...rest] = more
      if (!next || !isMissingSomething(error)) throw error
      return await post({ ...body, ...next }, signal, rest)
    }
  }

  async function update(known: ShopCustomer, customer: CustomerRecord, { signal }: Attempt): Promise<Effect> {
    if (isOfAnother(known, customer))
      return {
        note: `the account with this e-mail address is another customer’s (${metaOf(known, META.customer)}), by another first name, and the shop keeps one for each address: nothing was sent`,
      }
    const body = customerBody(customer, known)
    return effectOf('updated', customer, await api.write('PUT', `/customers/${known.id}`, body, Saved, signal))
  }
}

/**
 * A password, a name in its place, then both. Nobody ever learns them: the customer signs in by e-mail address, and asks the shop for
 * another password.
 */
function whatShopsLeaveOut(): object[] {
  const password = randomBytes(24).toString('base64url')
  const username = `customer-${randomBytes(6).toString('hex')}`
  return [{ password }, { username, password: undefined }, { password }]
}

/** The name of the account and its password are all that this request can lack. */
function isMissingSomething(error: unknown): boolean {
  return error instanceof PermanentError && error.message.includes(': rest_missing_callback_param')
}

/** A family may share an e-mail address: each of them would write over what the account says of the other. */
function isOfAnother(account: ShopCustomer, customer: CustomerRecord): boolean {
  const whose = metaOf(account, META.customer)
  if (whose === null || customer.customerId === null || whose === customer.customerId) return false
  return !mayBeOneName(customer, { ...UNKNOWN_CUSTOMER, firstName: account.first_name ?? null })
}

function effectOf(what: string, { customerId }: CustomerRecord, { id }: { id: number }): Effect {
  const note = `customer ${id} ${what}`
  return customerId === null ? { note } : { note, links: [{ kind: 'customer', id: customerId, theirId: String(id) }] }
}
