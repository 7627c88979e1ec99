import { hash } from 'node:crypto'
import { z } from 'zod'
import type { IntakeItem } from '../../../ports/intake.ts'
import { saleCustomer } from '../../shared/contact.ts'
import { id, readable, text } from '../document.ts'
import { contactOf, type KnownAddress, META, Meta, metaOf, ShopAddress, type WholeOrder } from '../shop-order.ts'

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

export function saidOf(account: Account): string {
  return hash('sha256', JSON.stringify(saleCustomer('', contactOf(accountAddress(account))))).slice(0, 16)
}

type Account = { billing: KnownAddress } & Partial<Pick<ShopCustomer, 'email' | 'first_name' | 'last_name'>>

export function accountAddress({ billing, email, first_name, last_name }: Account) {
  return {
    ...billing,
    email: email || billing.email,
    first_name: first_name || billing.first_name,
    last_name: last_name || billing.last_name,
  }
}

export function buyerOf({ id, customer_id, billing }: WholeOrder): Record<string, unknown> {
  const guest = billing.email?.toLowerCase() ?? `order-${id}`
  return saleCustomer(customer_id ? String(customer_id) : guest, contactOf(billing))
}
