import { randomUUID } from 'node:crypto'
import { Refusal } from '../refusal.ts'
import type { CustomerBody, CustomerFilter } from './body.ts'
import { CUSTOMERS, type Customer } from './customers.ts'

/** A customer as the platform keeps one. */
export interface KnownCustomer {
  customerid: number
  /** A GUID. */
  id: string
  extId: string | null
  firstName: string
  lastName: string
  companyName: string
  email: string
  phone: string
  phoneCountryPrefix: string
  address: string
  postalCode: string
  city: string
  countryCode: string
  agreedSendEmail: boolean
  agreedSendSms: boolean
  deleted: boolean
  registeredStoreId: number | null
  /** Milliseconds since 1970. */
  ins: number
  upt: number
}

/** All customers; those whom the POS know are there from the start. */
export function createCustomerBook(now: () => number, seeds: readonly Customer[]) {
  const customers: KnownCustomer[] = [...CUSTOMERS, ...seeds].map((customer) => fromPos(customer, now()))

  function added(body: CustomerBody): KnownCustomer {
    const customer = blank(Math.max(...customers.map((one) => one.customerid)) + 1, now())
    customers.push(customer)
    return Object.assign(customer, given(body))
  }

  return {
    /** Adds somebody at a POS, whoever else has the same name, phone or e-mail. */
    add: (body: CustomerBody): { customer: KnownCustomer } => ({ customer: added(body) }),

    /** Changes whom it finds, adds whom it does not find. What the body leaves out stays. */
    put(body: CustomerBody): { customer: KnownCustomer; isNew: boolean } {
      if (!NAMES.some((name) => body[name])) throw new Refusal(400, `A customer needs one of: ${NAMES.join(', ')}.`)
      const found = match(customers, body)
      if (!found && (body.customerid ?? 0) > 0) throw new Refusal(400, `There is no customer ${body.customerid}.`)
      const customer = found ? Object.assign(found, given(body), { upt: now() }) : added(body)
      return { customer, isNew: !found }
    },

    /** The customers who pass every part of the filter. */
    search: (filter: CustomerFilter): KnownCustomer[] => customers.filter((customer) => passes(customer, filter)),

    remove(customerId: number): void {
      customers.splice(
        customers.findIndex((one) => one.customerid === customerId),
        1,
      )
    },

    byId: (customerId: number): KnownCustomer | undefined => customers.find((one) => one.customerid === customerId),
  }
}

export type CustomerBook = ReturnType<typeof createCustomerBook>

/** Nobody is nobody: without any of these there is no customer (which the platform requires is not shown). */
const NAMES = ['customerid', 'extId', 'phone', 'email', 'firstName', 'lastName', 'companyName'] as const

/** By id, then external id, then phone, then e-mail (facts, §1d: the public text has two orders; this is its first). */
function match(customers: readonly KnownCustomer[], { customerid, extId, phone, email }: CustomerBody) {
  if (customerid) return customers.find((one) => one.customerid === customerid)
  return (
    (extId && customers.find((one) => one.extId === extId)) ||
    (phone && customers.find((one) => digits(one.phone) === digits(phone))) ||
    (email && customers.find((one) => one.email.toLowerCase() === email.toLowerCase())) ||
    undefined
  )
}

/** Whole numbers are compared: `912 34 567` is `91234567`. */
function digits(phone: string): string {
  return phone.replaceAll(/\D/g, '')
}

function passes(customer: KnownCustomer, filter: CustomerFilter): boolean {
  const { customerIds, customerExtIds } = filter
  return (
    contains(customer.firstName, filter.firstNameContains) &&
    contains(customer.lastName, filter.lastNameContains) &&
    contains(customer.companyName, filter.companyNameContains) &&
    contains(customer.email, filter.emailContains) &&
    contains(customer.phone, filter.phoneContains) &&
    (!customerIds || customerIds.includes(customer.customerid)) &&
    (!customerExtIds || (customer.extId !== null && customerExtIds.includes(customer.extId)))
  )
}

function contains(text: string, part: string | null | undefined): boolean {
  return !part || text.toLowerCase().includes(part.toLowerCase())
}

function given({ customerid: _, ...body }: CustomerBody): object {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}

function blank(customerid: number, at: number): KnownCustomer {
  return {
    customerid,
    id: randomUUID(),
    extId: null,
    firstName: '',
    lastName: '',
    companyName: '',
    email: '',
    phone: '',
    phoneCountryPrefix: '',
    address: '',
    postalCode: '',
    city: '',
    countryCode: '',
    agreedSendEmail: false,
    agreedSendSms: false,
    deleted: false,
    registeredStoreId: null,
    ins: at,
    upt: at,
  }
}

function fromPos({ customerId, customerExtId, phonePrefix, address, ...same }: Customer, at: number): KnownCustomer {
  return {
    ...blank(customerId, at),
    ...same,
    extId: customerExtId,
    phoneCountryPrefix: phonePrefix,
    address: address.address1,
    postalCode: address.postalCode,
    city: address.city,
    countryCode: address.countryCode,
  }
}
