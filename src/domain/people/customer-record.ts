/** A customer as the hub passes one on: from the platform's events to other systems, from other systems to the till. */
export interface CustomerRecord {
  /** The platform's id. */
  customerId: string | null
  /** The customer's id in the retailer's own system. */
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

/** The record of a customer of whom nothing is known. */
export const UNKNOWN_CUSTOMER: Readonly<CustomerRecord> = {
  customerId: null,
  extId: null,
  email: null,
  firstName: null,
  lastName: null,
  companyName: null,
  phone: null,
  address: null,
  postalCode: null,
  city: null,
  countryCode: null,
}

/** An id of a customer that holds outside of the system that handed the customer over: systems count alike. */
export function extIdOf(system: string, id: string): string {
  return `${system}:${id}`
}

/** The record, its gaps filled from another of the same person. An address is one thing: it is not put together from two. */
export function filledUp(known: CustomerRecord, more: CustomerRecord): CustomerRecord {
  const filled = { ...known }
  for (const name of PLAIN) filled[name] ??= more[name]
  if (ADDRESS.every((name) => known[name] === null)) for (const name of ADDRESS) filled[name] = more[name]
  return filled
}

const PLAIN = ['customerId', 'extId', 'email', 'firstName', 'lastName', 'companyName', 'phone'] as const
const ADDRESS = ['address', 'postalCode', 'city', 'countryCode'] as const
