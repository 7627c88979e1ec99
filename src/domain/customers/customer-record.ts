import type { Texts } from '../values/field.ts'

const PLAIN = ['customerId', 'extId', 'email', 'firstName', 'lastName', 'companyName', 'phone'] as const
const ADDRESS = ['address', 'postalCode', 'city', 'countryCode'] as const
const NAMES = [...PLAIN, ...ADDRESS]

/** `phone`: E.164 if it could be read (`+4791234567`), else as written. */
export type CustomerRecord = Texts<(typeof NAMES)[number]>

/** Its keys are in the order of digests. */
function recordBy(read: (name: keyof CustomerRecord) => string | null): CustomerRecord {
  return Object.fromEntries(NAMES.map((name) => [name, read(name)])) as CustomerRecord
}

export const UNKNOWN_CUSTOMER: Readonly<CustomerRecord> = recordBy(() => null)

export function extIdOf(system: string, id: string): string {
  return `${system}:${id}`
}

export function filledUp(known: CustomerRecord, more: CustomerRecord): CustomerRecord {
  const filled = { ...known }
  for (const name of PLAIN) filled[name] ??= more[name]
  if (ADDRESS.every((name) => known[name] === null)) for (const name of ADDRESS) filled[name] = more[name]
  return filled
}

type Likeness = 'customerId' | 'extId' | 'email' | 'phone'

export function samePerson(one: CustomerRecord, other: CustomerRecord): Likeness | null {
  if (one.customerId !== null && other.customerId !== null)
    return one.customerId === other.customerId ? 'customerId' : null
  if (one.extId !== null && other.extId !== null) return one.extId === other.extId ? 'extId' : null
  if (one.email !== null && other.email !== null) return one.email === other.email ? 'email' : null
  return one.phone !== null && one.phone === other.phone && mayBeOneName(one, other) ? 'phone' : null
}

export function merged(before: CustomerRecord, came: CustomerRecord): CustomerRecord {
  return recordBy((name) => came[name] ?? before[name])
}

const SUREST: readonly Likeness[] = ['customerId', 'extId', 'email', 'phone']

export function samePeople<Kept extends CustomerRecord>(kept: readonly Kept[], came: CustomerRecord): Kept[] {
  return SUREST.flatMap((likeness) => kept.filter((one) => samePerson(one, came) === likeness))
}

/** Two who share a phone: `Kari` and `Kari Anne` may be one person; else a family. */
export function mayBeOneName(one: CustomerRecord, other: CustomerRecord): boolean {
  const [a, b] = [firstWord(one.firstName), firstWord(other.firstName)]
  return a.startsWith(b) || b.startsWith(a)
}

function firstWord(name: string | null): string {
  return /[\p{L}\p{N}]+/u.exec((name ?? '').toLowerCase())?.[0] ?? ''
}

export interface CustomerConsent extends Texts<'extId' | 'email' | 'phone' | 'agreedAt'> {
  customerId: string
  agreedSendEmail: boolean | null
  agreedSendSms: boolean | null
}
