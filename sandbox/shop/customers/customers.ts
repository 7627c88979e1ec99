import type { z } from 'zod'
import type { NextId } from '../ids.ts'
import { applyMeta } from '../orders/lines.ts'
import { type Address, BILLING, type Meta, SHIPPING } from '../orders/order.ts'
import { RestError } from '../rest-error.ts'
import type { SiteTime } from '../site-time.ts'
import type { CustomerInput, CustomerQuery } from './parameters.ts'

/** A customer with an account, as the shop holds it; times are milliseconds since 1970. */
export interface ShopCustomer {
  readonly id: number
  email: string
  firstName: string
  lastName: string
  username: string
  readonly role: 'customer' | 'subscriber' | 'shop_manager'
  billing: Address
  shipping: Address
  meta: Meta[]
  readonly createdAt: number
  modifiedAt: number
}

export interface Customers {
  all(): ShopCustomer[]
  get(id: number): ShopCustomer | undefined
  /** Throws RestError where somebody has the e-mail address. */
  create(input: CustomerInput, role?: ShopCustomer['role']): ShopCustomer
  update(customer: ShopCustomer, input: CustomerInput): void
  remove(customer: ShopCustomer): void
}

export function createCustomers({ time, nextId }: { time: SiteTime; nextId: NextId }): Customers {
  const customers = new Map<number, ShopCustomer>()
  const all = () => [...customers.values()]
  const holder = (email: string) => all().find((one) => sameEmail(one.email, email))

  return {
    all,
    get: (id) => customers.get(id),
    create(input, role = 'customer') {
      const email = input.email ?? ''
      if (holder(email)) {
        const message = 'An account is already registered with your email address.'
        throw new RestError(400, 'registration-error-email-exists', message)
      }
      const now = time.now()
      const empty = {
        email: '',
        firstName: '',
        lastName: '',
        username: input.username || (email.split('@')[0] ?? ''),
        meta: [],
      }
      const billing = Object.fromEntries(BILLING.map((field) => [field, '']))
      const shipping = Object.fromEntries(SHIPPING.map((field) => [field, '']))
      const customer = { ...empty, id: nextId(), role, billing, shipping, createdAt: now, modifiedAt: now }
      write(customer, input)
      customers.set(customer.id, customer)
      return customer
    },
    update(customer, input) {
      const other = input.email ? holder(input.email) : undefined
      if (other && input.email !== customer.email)
        throw new RestError(400, 'woocommerce_rest_customer_invalid_email', 'Email address is invalid.')
      if (customer.role === 'shop_manager' && input.email && input.email !== customer.email) {
        const message = 'Sorry, email cannot be updated via this endpoint for a user with role shop_manager.'
        throw new RestError(403, 'woocommerce_rest_cannot_edit', message)
      }
      if (input.username && input.username !== customer.username)
        throw new RestError(400, 'woocommerce_rest_customer_invalid_argument', "Username isn't editable.")
      write(customer, input)
      customer.modifiedAt = time.now()
    },
    remove({ id }) {
      customers.delete(id)
    },
  }

  function write(customer: ShopCustomer, input: CustomerInput): void {
    customer.email = input.email ?? customer.email
    customer.firstName = input.first_name ?? customer.firstName
    customer.lastName = input.last_name ?? customer.lastName
    customer.billing = { ...customer.billing, ...given(input.billing) }
    customer.shipping = { ...customer.shipping, ...given(input.shipping) }
    applyMeta(customer.meta, input.meta_data ?? [], nextId)
  }
}

/** `email` finds the whole address only. */
export function listCustomers(all: ShopCustomer[], query: z.output<typeof CustomerQuery>): ShopCustomer[] {
  const found = all.filter(
    (one) => (query.role === 'all' || one.role === query.role) && (!query.email || sameEmail(one.email, query.email)),
  )
  const way = query.order === 'asc' ? 1 : -1
  const by = {
    id: (one: ShopCustomer, other: ShopCustomer) => one.id - other.id,
    name: (one: ShopCustomer, other: ShopCustomer) => shownName(one).localeCompare(shownName(other)),
    registered_date: (one: ShopCustomer, other: ShopCustomer) => one.createdAt - other.createdAt,
  }[query.orderby]
  return found.toSorted((one, other) => way * by(one, other))
}

/** A customer as `GET /customers/{id}` shows it. */
export function customerJson(customer: ShopCustomer, { time, api }: { time: SiteTime; api: string }) {
  // One that nobody changed since the registration has no date of it.
  const modified = customer.modifiedAt === customer.createdAt ? null : customer.modifiedAt
  return {
    id: customer.id,
    date_created: time.local(customer.createdAt),
    date_created_gmt: time.gmt(customer.createdAt),
    date_modified: modified === null ? null : time.local(modified),
    date_modified_gmt: modified === null ? null : time.gmt(modified),
    email: customer.email,
    first_name: customer.firstName,
    last_name: customer.lastName,
    role: customer.role,
    username: customer.username,
    billing: customer.billing,
    shipping: customer.shipping,
    is_paying_customer: false,
    avatar_url: '',
    meta_data: customer.meta,
    _links: { self: [{ href: `${api}/customers/${customer.id}` }], collection: [{ href: `${api}/customers` }] },
  }
}

function shownName({ firstName, lastName, username }: ShopCustomer): string {
  return [firstName, lastName].filter(Boolean).join(' ') || username
}

function sameEmail(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** The fields that are given. A field that is not, or is null, stays as it is. */
function given(address: Record<string, string | null | undefined> | null | undefined): Address {
  const written = Object.entries(address ?? {}).filter(
    (field): field is [string, string] => typeof field[1] === 'string',
  )
  return Object.fromEntries(written)
}
