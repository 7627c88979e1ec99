import type { Address, Customer } from '../../../domain/books/sale.ts'

/** One that WordPress takes (`is_email`); it refuses the whole order for any other. */
const EMAIL = /^[\w!#$%&'*+/=?^`{|}~.-]+@(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z\d](?:[a-z\d-]*[a-z\d])?$/i

type ShopAddress = Record<string, string | null>

/** The buyer's address. An e-mail address that the shop would refuse is left out and given apart. */
export function billingOf(customer: Customer | null): { address: ShopAddress | null; refusedEmail: string | null } {
  if (!customer) return { address: null, refusedEmail: null }
  const { firstName, lastName, companyName: company, phone, email, address } = customer
  const refused = email !== null && !isEmail(email)
  return {
    address: { ...place(address), ...person(firstName, lastName), company, phone, email: refused ? null : email },
    refusedEmail: refused ? email : null,
  }
}

/** Whether WordPress takes it. */
export function isEmail(text: string): boolean {
  return EMAIL.test(text)
}

/** Where it goes; the name is the customer's where the address has none. */
export function shippingOf(address: Address | null, customer: Customer | null): ShopAddress | null {
  if (!address) return null
  const named = address.firstName !== null || address.lastName !== null ? address : customer
  return { ...place(address), ...person(named?.firstName ?? null, named?.lastName ?? null) }
}

function place(address: Address | null): ShopAddress {
  return {
    address_1: address?.address1 ?? null,
    city: address?.city ?? null,
    postcode: address?.postalCode ?? null,
    country: address?.countryCode ?? null,
  }
}

function person(first: string | null, last: string | null): ShopAddress {
  return { first_name: first, last_name: last }
}
