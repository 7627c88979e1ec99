import type { Texts } from '../values/field.ts'

const PLAIN = ['customerId', 'extId', 'email', 'firstName', 'lastName', 'companyName', 'phone'] as const
const ADDRESS = ['address', 'postalCode', 'city', 'countryCode'] as const
const NAMES = [...PLAIN, ...ADDRESS]

/** A customer of platform or own system. `phone`: E.164 where it could be read so (`+4791234567`), else as written. */
export type CustomerRecord = Texts<(typeof NAMES)[number]>

/** Its keys are in the order of digests. */
function recordBy(read: (name: keyof CustomerRecord) => string | null): CustomerRecord {
  return Object.fromEntries(NAMES.map((name) => [name, read(name)])) as CustomerRecord
}

export const UNKNOWN_CUSTOMER: Readonly<CustomerRecord> = recordBy(() => null)

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

type Likeness = 'customerId' | 'extId' | 'email' | 'phone'

/** By what two records are of one person; null: they are not, or nothing says so. */
export function samePerson(one: CustomerRecord, other: CustomerRecord): Likeness | null {
  if (one.customerId !== null && other.customerId !== null)
    return one.customerId === other.customerId ? 'customerId' : null
  if (one.extId !== null && other.extId !== null) return one.extId === other.extId ? 'extId' : null
  if (one.email !== null && other.email !== null) return one.email === other.email ? 'email' : null
  return one.phone !== null && one.phone === other.phone && mayBeOneName(one, other) ? 'phone' : null
}

/** One record from two of the same person; where they differ, the later one holds. */
export function merged(before: CustomerRecord, came: CustomerRecord): CustomerRecord {
  return recordBy((name) => came[name] ?? before[name])
}

const SUREST: readonly Likeness[] = ['customerId', 'extId', 'email', 'phone']

/** Records of the same person as the one that came, the surest first, and of equals the first given. */
export function samePeople<Kept extends CustomerRecord>(kept: readonly Kept[], came: CustomerRecord): Kept[] {
  return SUREST.flatMap((likeness) => kept.filter((one) => samePerson(one, came) === likeness))
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

export interface CustomerConsent extends Texts<'extId' | 'email' | 'phone' | 'agreedAt'> {
  customerId: string
  agreedSendEmail: boolean | null
  agreedSendSms: boolean | null
}
