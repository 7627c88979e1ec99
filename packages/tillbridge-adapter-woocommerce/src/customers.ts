import { hash, randomBytes } from 'node:crypto'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import {
  type Attempt,
  accountFor,
  accountsToErase,
  type CustomerQuery,
  type CustomerRecord,
  type CustomersPort,
  customerRecord,
  type Effect,
  type ErasedCustomer,
  type IntakeItem,
  isNotFound,
  isOfAnother,
  leftToAnother,
  PermanentError,
  pluralize,
  type Question,
  saleCustomer,
  savedCustomer,
} from 'tillbridge/adapter'
import { z } from 'zod'
import { readAll, readOne, type ShopApi, saysCode } from './api.ts'
import { id, optional, part, readable, text, withoutNulls, word } from './document.ts'
import { contactOf, isEmail, type KnownAddress, META, Meta, metaOf, ShopAddress, wireAddress } from './shop-order.ts'

export const ShopCustomer = z.object({
  id,
  email: text,
  first_name: text,
  last_name: text,
  role: text,
  date_created_gmt: text,
  date_modified_gmt: text,
  billing: ShopAddress,
  meta_data: readable(Meta),
})

type ShopCustomer = z.output<typeof ShopCustomer>

const STAFF = new Set(['administrator', 'shop_manager', 'editor', 'author', 'contributor'])

function isStaff({ role }: ShopCustomer): boolean {
  return STAFF.has(role ?? '')
}

/** Plugins change a customer without a date, so the content is part of the key. */
export function customerItems(customer: ShopCustomer): IntakeItem[] {
  if (isStaff(customer)) return []
  // Our own write comes back as a webhook.
  if (metaOf(customer, META.said) === saidOf(customer)) return []
  const { id } = customer
  const customerId = metaOf(customer, META.customer)
  const form = saleCustomer(String(id), contactOf(accountAddress(customer)))
  const value = { ...form, ...(customerId !== null && { customerId }) }
  const digest = hash('sha256', JSON.stringify(value)).slice(0, 12)
  const changed = customer.date_modified_gmt ?? customer.date_created_gmt ?? ''
  const at = Number.isNaN(Date.parse(`${changed}Z`)) ? {} : { changedAt: `${changed}Z` }
  return [
    { resource: 'customers', key: `customer/${id}/${changed}/${digest}`, theirId: null, place: null, value, ...at },
  ]
}

function saidOf(account: Account): string {
  return hash('sha256', JSON.stringify(saleCustomer('', contactOf(accountAddress(account))))).slice(0, 16)
}

type Account = { billing: KnownAddress } & Partial<Pick<ShopCustomer, 'email' | 'first_name' | 'last_name'>>

function accountAddress({ billing, email, first_name, last_name }: Account) {
  return {
    ...billing,
    email: email || billing.email,
    first_name: first_name || billing.first_name,
    last_name: last_name || billing.last_name,
  }
}

/** WooCommerce takes an address in other case for another account's. `said`: our own write is no change when its webhook comes. */
function customerBody(customer: CustomerRecord, known: ShopCustomer | null = null): object {
  const { customerId, firstName, lastName, phone } = customer
  const email = customer.email !== null && isEmail(customer.email) ? customer.email : null
  const body = withoutNulls({
    email: email?.toLowerCase() === known?.email?.toLowerCase() ? null : email,
    first_name: firstName,
    last_name: lastName,
    billing: { ...wireAddress(customer), phone, email },
  })
  const said = saidOf({ ...known, ...body, billing: { ...known?.billing, ...body.billing } })
  const whose = customerId === null ? [] : [{ key: META.customer, value: customerId }]
  return { ...body, meta_data: [...whose, { key: META.said, value: said }] }
}

const Ordered = z.object({ customer_id: optional(id), billing: ShopAddress })
const MAX_ORDERS = '20'

async function byEmail(api: ShopApi, email: string, signal: AbortSignal): Promise<ShopCustomer | null> {
  const { value } = await api.get('/customers', { email, role: 'all' }, z.array(ShopCustomer), signal)
  // `*` is a wildcard for WordPress.
  return value.find((one) => one.email?.toLowerCase() === email.toLowerCase()) ?? null
}

/** WooCommerce has no search by phone number: orders have it. */
function createCustomerSearch(api: ShopApi): (query: CustomerQuery, question: Question) => Promise<CustomerRecord[]> {
  return async (query, { signal }) => {
    if (query.type === 'email') {
      const found = await byEmail(api, query.email, signal)
      return found ? [customerRecord(String(found.id), contactOf(accountAddress(found)))] : []
    }
    const spellings = spellingsOf(query)
    const answers = await Promise.all(spellings.map((spelling) => ordersWith(spelling, signal)))
    const own = answers.flat().filter(({ billing }) => query.numbers.includes(contactOf(billing).phone ?? ''))
    const people = new Map<string, CustomerRecord>()
    for (const { customer_id, billing } of own) {
      const who = customer_id ? String(customer_id) : (billing.email?.toLowerCase() ?? '')
      if (!people.has(who))
        people.set(who, customerRecord(customer_id ? String(customer_id) : null, contactOf(billing)))
    }
    return [...people.values()]
  }

  async function ordersWith(spelling: string, signal: AbortSignal): Promise<z.output<typeof Ordered>[]> {
    const asked = {
      search: spelling,
      orderby: 'date',
      order: 'desc',
      per_page: MAX_ORDERS,
      _fields: 'customer_id,billing',
    }
    return (await api.get('/orders', asked, z.array(Ordered), signal)).value
  }
}

/** The search matches parts of the written text, so blanks matter. */
function spellingsOf({ numbers, typed }: Extract<CustomerQuery, { type: 'phone' }>): string[] {
  const likeliest = parsePhoneNumberFromString(numbers[0] ?? '')
  if (!likeliest) return [typed]
  const { nationalNumber: home } = likeliest
  const inGroups = likeliest.formatInternational().replace(/^\+\d+ /, '')
  const pairs = home.replaceAll(/(\d\d)(?=\d)/g, '$1 ')
  const ends = home.replace(/^(\d{3})(\d{2,})(\d{3})$/, '$1 $2 $3')
  return [...new Set([home, inGroups, pairs, ends, typed])]
}

const Saved = z.object({ id })
const Person = part({ first_name: text, email: text })
const Placed = z.object({ id, status: word, total: word, billing: Person, shipping: Person, meta_data: readable(Meta) })
type Placed = z.output<typeof Placed>

const OVER = new Set(['completed', 'cancelled', 'refunded', 'failed', 'trash'])

/** Ended orders get the pseudonym, then the account is deleted; IP addresses and order notes are out of reach. Throws PermanentError `orders-not-over`. */
async function eraseCustomer(api: ShopApi, who: ErasedCustomer, signal: AbortSignal): Promise<Effect> {
  const { own: accounts, ofOthers } = await accountsToErase(who, accountsOf(api, signal))
  if (accounts.some(isStaff))
    throw new PermanentError('the account is of somebody who works in the shop: nothing was changed there', {
      code: 'staff-account',
    })
  const orders = await ordersOf(api, who, accounts, signal)
  const open = orders.filter(({ status }) => !OVER.has(status))
  const otherwise: number[] = []
  for (const order of orders)
    if (OVER.has(order.status) && !(await eraseOrder(api, order, who.pseudonym, signal))) otherwise.push(order.id)
  for (const { id } of accounts) await remove(api, id, signal)
  const others = ofOthers.map(({ id }) => id).join(', ')
  const check =
    (otherwise.length > 0 ? `; the shop computed other totals, please check: ${otherwise.join(', ')}` : '') +
    (others !== '' ? `; an account is another customer’s, and stays: ${others}` : '')
  const some = open.slice(0, 5).map(({ id, status }) => `${id} ${status}`)
  if (open.length > 0)
    throw new PermanentError(
      `${pluralize(open.length, 'order')} of the customer ${open.length === 1 ? 'is' : 'are'} not over yet (${some.join(', ')}), and still say who it is: retry this delivery once they are. All else is erased there${check}.`,
      { code: 'orders-not-over' },
    )
  return {
    note: `${pluralize(accounts.length, 'account')} deleted, ${pluralize(orders.length, 'order')} without a name${check}`,
  }
}

/** True if the total stayed: an address recomputes taxes, unless it is written as meta data, which not every shop reads. */
async function eraseOrder(api: ShopApi, order: Placed, pseudonym: string, signal: AbortSignal): Promise<boolean> {
  const path = `/orders/${order.id}`
  const { billing, shipping, meta_data, ...rest } = withoutPerson(order, pseudonym)
  const fields = Object.entries({ billing, shipping }).flatMap(([which, address]) =>
    Object.entries(address).map(([field, value]) => ({ key: `_${which}_${field}`, value })),
  )
  const answer = await api.write('PUT', path, { ...rest, meta_data: [...meta_data, ...fields] }, Placed, signal)
  const isErased = [answer.billing, answer.shipping].every(({ first_name }) => first_name === pseudonym)
  if (isErased && answer.billing.email === billing.email) return answer.total === order.total
  return (await api.write('PUT', path, { billing, shipping }, Placed, signal)).total === order.total
}

/** Of the accounts, by our links, and of guests with the same address. */
async function ordersOf(
  api: ShopApi,
  { orders, emails, customerIds }: ErasedCustomer,
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
    // An order of another customer may have the number.
    const whose = order && metaOf(order, META.customer)
    const isTheirs = whose ? customerIds.includes(whose) : !email
    if (order && (isTheirs || (email && own.has(email)))) found.set(order.id, order)
  }
  return [...found.values()]
}

async function list(api: ShopApi, query: Record<string, string>, signal: AbortSignal): Promise<Placed[]> {
  const asked = { ...query, orderby: 'id', order: 'asc' }
  const kept = await readAll(api, '/orders', { ...asked, status: 'any' }, Placed, signal)
  return [...kept, ...(await readAll(api, '/orders', { ...asked, status: 'trash' }, Placed, signal))]
}

async function remove(api: ShopApi, id: number, signal: AbortSignal): Promise<void> {
  try {
    await api.write('DELETE', `/customers/${id}?force=true`, {}, Saved, signal)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Taxes depend on country and state. */
function withoutPerson({ meta_data }: Placed, pseudonym: string) {
  const noCustomer = {
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
    billing: { ...noCustomer, email: `${pseudonym}@erased.invalid`, phone: '' },
    shipping: { ...noCustomer, phone: '' },
    customer_note: '',
    meta_data: ours.map(({ key }) => ({ key, value: pseudonym })),
  }
}

const NO_EMAIL = 'the shop keeps no customer without an e-mail address, and this one has none: nothing was sent'
const REFUSED_EMAIL = 'the e-mail address is none that WordPress takes: nothing was sent'

function accountsOf(api: ShopApi, signal: AbortSignal) {
  return {
    byId: async (id: string) =>
      /^\d+$/.test(id) ? await readOne(api, `/customers/${id}`, ShopCustomer, signal) : null,
    byEmail: async (email: string) => (isEmail(email) ? await byEmail(api, email, signal) : null),
    ownerOf: (one: ShopCustomer) => ({
      whose: metaOf(one, META.customer),
      firstName: one.first_name,
      email: one.email,
    }),
  }
}

/** An e-mail address has one account at most, so an attempt in doubt is repeated. */
export function createWooCustomers(api: ShopApi): CustomersPort {
  return {
    async upsert(customer, attempt) {
      const known = await accountFor(customer, attempt, accountsOf(api, attempt.signal))
      if (known !== null) return await update(known, customer, attempt)
      if (customer.email === null) return { note: NO_EMAIL }
      if (!isEmail(customer.email)) return { note: REFUSED_EMAIL }
      return await create(customer, customer.email, attempt)
    },
    erase: (who, { signal }) => eraseCustomer(api, who, signal),
    search: createCustomerSearch(api),
  }

  async function create(customer: CustomerRecord, email: string, attempt: Attempt): Promise<Effect> {
    try {
      const { id } = await post(customerBody(customer), attempt.signal)
      return savedCustomer('created', customer, String(id))
    } catch (error) {
      const known = saysCode(error, 'registration-error-email-exists') && (await byEmail(api, email, attempt.signal))
      if (known) return await update(known, customer, attempt)
      throw error
    }
  }

  /** A shop that generates no passwords or user names says that a parameter is missing, not which. */
  async function post(body: object, signal: AbortSignal): Promise<z.output<typeof Saved>> {
    const write = (more: object) => api.write('POST', '/customers', { ...body, ...more }, Saved, signal)
    return await write({}).catch((error: unknown) => {
      if (!(error instanceof PermanentError && error.message.includes(': rest_missing_callback_param'))) throw error
      const password = randomBytes(24).toString('base64url')
      return write({ username: `customer-${randomBytes(6).toString('hex')}`, password })
    })
  }

  async function update(known: ShopCustomer, customer: CustomerRecord, { signal }: Attempt): Promise<Effect> {
    const owner = accountsOf(api, signal).ownerOf(known)
    if (isOfAnother(owner, customer)) return leftToAnother(owner)
    const { id } = await api.write('PUT', `/customers/${known.id}`, customerBody(customer, known), Saved, signal)
    return savedCustomer('updated', customer, String(id))
  }
}
