import { field, text } from './field.ts'
import { phoneOf } from './phone.ts'

/** A customer as the hub passes one on: from the platform's events to other systems, from other systems to the till. */
export interface CustomerRecord {
  /** The platform's id. */
  customerId: string | null
  /** What the retailer's own system knows the customer by. */
  extId: string | null
  email: string | null
  firstName: string | null
  lastName: string | null
  companyName: string | null
  /** E.164 where it could be read so (`+4791234567`), else as written. */
  phone: string | null
  address: string | null
  postalCode: string | null
  city: string | null
  /** ISO 3166, in capitals. */
  countryCode: string | null
}

/** What a customer of a system that hands its customers over itself is called outside of it: systems count alike. */
export function extIdOf(system: string, id: string): string {
  return `${system}:${id}`
}

/**
 * Reads CustomerCreated and CustomerUpdated (facts §4; the spec does not show them). Null where it has no id, or says
 * nothing besides it.
 */
export function readCustomer(payload: unknown): CustomerRecord | null {
  const customerId = text(payload, 'customerId')
  if (customerId === null) return null
  const { customerId: _, ...rest } = withPhone(payload, {
    extId: text(payload, 'customerExtId'),
    address: text(payload, 'address1'),
  })
  return Object.values(rest).some((value) => value !== null) ? { customerId, ...rest } : null
}

/** Reads the customer of a sale (spec, "Sale payload"); null where nobody is attached. */
export function readSaleCustomer(sale: unknown): CustomerRecord | null {
  const customer = field(sale, 'customer')
  const address = field(customer, 'address')
  const record = withPhone(customer, {
    extId: text(customer, 'customerExtId'),
    address: text(address, 'address1'),
    postalCode: text(address, 'postalCode'),
    city: text(address, 'city'),
    countryCode: text(address, 'countryCode')?.toUpperCase() ?? null,
  })
  if (record.email === null && record.phone === null) return null
  // Whom the till does not know has the id 0.
  return record.customerId === '0' ? { ...record, customerId: null } : record
}

function withPhone(value: unknown, given: Partial<CustomerRecord>): CustomerRecord {
  const record = {
    customerId: text(value, 'customerId'),
    extId: null,
    email: text(value, 'email')?.toLowerCase() ?? null,
    firstName: text(value, 'firstName'),
    lastName: text(value, 'lastName'),
    companyName: text(value, 'companyName'),
    phone: null,
    address: null,
    postalCode: text(value, 'postalCode'),
    city: text(value, 'city'),
    countryCode: text(value, 'countryCode')?.toUpperCase() ?? null,
    ...given,
  }
  const phone = phoneOf(text(value, 'phoneCountryPrefix'), text(value, 'phone'), record.countryCode)
  return { ...record, phone }
}

/** What one record lacks, from another of the same person. An address is one thing: it is not put together from two. */
export function filledUp(known: CustomerRecord, more: CustomerRecord): CustomerRecord {
  const filled = { ...known }
  for (const name of PLAIN) filled[name] ??= more[name]
  if (ADDRESS.every((name) => known[name] === null)) for (const name of ADDRESS) filled[name] = more[name]
  return filled
}

const PLAIN = ['customerId', 'extId', 'email', 'firstName', 'lastName', 'companyName', 'phone'] as const
const ADDRESS = ['address', 'postalCode', 'city', 'countryCode'] as const
