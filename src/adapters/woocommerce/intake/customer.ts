import { hash } from 'node:crypto'
import { z } from 'zod'
import { splitPhone } from '../../../domain/people/phone.ts'
import type { IntakeItem } from '../../../ports/intake.ts'
import { id, readable, text, withoutNulls } from '../document.ts'
import {
  type KnownAddress,
  META,
  Meta,
  metaOf,
  phoneIn,
  ShopAddress,
  streetOf,
  type WholeOrder,
} from '../shop-order.ts'

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

export type ShopCustomer = z.output<typeof ShopCustomer>

const STAFF = new Set(['administrator', 'shop_manager', 'editor', 'author', 'contributor'])

export function isStaff({ role }: ShopCustomer): boolean {
  return STAFF.has(role ?? '')
}

/** For `/v1/customers`. Plugins change a customer without a date, so the content is part of the key. */
export function customerItems(customer: ShopCustomer): IntakeItem[] {
  if (isStaff(customer)) return []
  // Unchanged since the hub wrote it.
  if (metaOf(customer, META.said) === saidOf(customer)) return []
  const { id } = customer
  // It is that customer, whoever shares a phone number.
  const customerId = metaOf(customer, META.customer)
  const form = formOf(String(id), accountAddress(customer))
  const value = { ...form, ...(customerId !== null && { customerId }) }
  const digest = hash('sha256', JSON.stringify(value)).slice(0, 12)
  const changed = customer.date_modified_gmt ?? customer.date_created_gmt ?? ''
  const at = Number.isNaN(Date.parse(`${changed}Z`)) ? {} : { changedAt: `${changed}Z` }
  return [
    { resource: 'customers', key: `customer/${id}/${changed}/${digest}`, theirId: null, place: null, value, ...at },
  ]
}

export function saidOf(account: Account): string {
  return hash('sha256', JSON.stringify(formOf('', accountAddress(account)))).slice(0, 16)
}

type Account = { billing: KnownAddress } & Partial<Pick<ShopCustomer, 'email' | 'first_name' | 'last_name'>>

/** An account has a name and an e-mail address beside its billing address. */
export function accountAddress({ billing, email, first_name, last_name }: Account) {
  return {
    ...billing,
    email: email || billing.email,
    first_name: first_name || billing.first_name,
    last_name: last_name || billing.last_name,
  }
}

/** The account, else the guest's e-mail address, else this order alone. */
export function buyerOf({ id, customer_id, billing }: WholeOrder): Record<string, unknown> {
  const guest = billing.email?.toLowerCase() ?? `order-${id}`
  return formOf(customer_id ? String(customer_id) : guest, billing)
}

function formOf(extId: string, address: KnownAddress): Record<string, unknown> {
  const { prefix, number } = splitPhone(phoneIn(address))
  const country = address.country?.toUpperCase() ?? null
  return withoutNulls({
    extId,
    email: address.email || null,
    firstName: address.first_name || null,
    lastName: address.last_name || null,
    companyName: address.company || null,
    phone: number,
    phoneCountryPrefix: prefix,
    address: streetOf(address),
    postalCode: address.postcode || null,
    city: address.city || null,
    countryCode: country !== null && /^[A-Z]{2}$/.test(country) ? country : null,
  })
}
