/** A customer as the hub passes one on: from the platform's events to other systems, from other systems to the till. */
export interface CustomerRecord {
  customerId: string | null
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
  countryCode: string | null
}

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

type Likeness = 'customerId' | 'extId' | 'email' | 'phone'

/**
 * By what two records are of one person; null: they are not, or nothing says so. Two ids are two persons, whatever else
 * is alike. An e-mail address is one person's; a phone number may be a family's, so it says nothing where the addresses
 * or the first names differ.
 */
export function samePerson(one: CustomerRecord, other: CustomerRecord): Likeness | null {
  if (one.customerId !== null && other.customerId !== null)
    return one.customerId === other.customerId ? 'customerId' : null
  if (one.extId !== null && other.extId !== null) return one.extId === other.extId ? 'extId' : null
  if (one.email !== null && other.email !== null) return one.email === other.email ? 'email' : null
  return one.phone !== null && one.phone === other.phone && mayBeOneName(one, other) ? 'phone' : null
}

/** One record from two of the same person; where they differ, the later one holds. */
export function merged(before: CustomerRecord, came: CustomerRecord): CustomerRecord {
  return {
    customerId: came.customerId ?? before.customerId,
    extId: came.extId ?? before.extId,
    email: came.email ?? before.email,
    firstName: came.firstName ?? before.firstName,
    lastName: came.lastName ?? before.lastName,
    companyName: came.companyName ?? before.companyName,
    phone: came.phone ?? before.phone,
    address: came.address ?? before.address,
    postalCode: came.postalCode ?? before.postalCode,
    city: came.city ?? before.city,
    countryCode: came.countryCode ?? before.countryCode,
  }
}

const SUREST: readonly Likeness[] = ['customerId', 'extId', 'email', 'phone']

/** Records of the same person as the one that came, the surest first, and of equals the first given. */
export function samePeople<Kept extends CustomerRecord>(kept: readonly Kept[], came: CustomerRecord): Kept[] {
  return kept
    .flatMap((one) => {
      const likeness = samePerson(one, came)
      return likeness ? [{ one, place: SUREST.indexOf(likeness) }] : []
    })
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one)
}

/**
 * Whether the first names of two who share a phone may be of one person: `Kari` and `Kari Anne` may, and who has none may be
 * anybody. Else they are a family.
 */
export function mayBeOneName(one: CustomerRecord, other: CustomerRecord): boolean {
  const [a, b] = [firstWord(one.firstName), firstWord(other.firstName)]
  return a === '' || b === '' || a.startsWith(b) || b.startsWith(a)
}

function firstWord(name: string | null): string {
  return /[\p{L}\p{N}]+/u.exec((name ?? '').toLowerCase())?.[0] ?? ''
}

/** The consents of a customer of the platform, and by what the customer may be found. */
export interface CustomerConsent {
  customerId: string
  extId: string | null
  email: string | null
  /** E.164 where it could be read so, else as written. */
  phone: string | null
  agreedSendEmail: boolean | null
  agreedSendSms: boolean | null
  agreedAt: string | null
}
