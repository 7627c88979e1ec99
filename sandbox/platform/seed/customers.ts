import type { Customer } from '../people/customers.ts'

const FIRST_NAMES = ['Ingrid', 'Lars', 'Astrid', 'Erik', 'Sofie', 'Magnus', 'Nora', 'Anders', 'Maja', 'Oskar']
const LAST_NAMES = ['Berg', 'Dahl', 'Lund', 'Solberg', 'Holm']
const PLACES: readonly (readonly [street: string, code: string, city: string, country: string, short: string])[] = [
  ['Kirkegata', '0153', 'Oslo', 'Norway', 'NO'],
  ['Strandgaten', '5013', 'Bergen', 'Norway', 'NO'],
  ['Munkegata', '7011', 'Trondheim', 'Norway', 'NO'],
  ['Drottninggatan', '111 60', 'Stockholm', 'Sweden', 'SE'],
  ['Kungsgatan', '411 19', 'Göteborg', 'Sweden', 'SE'],
]

/** Customers whom the platform has besides those of the POS; nobody's number or address is real. */
export const SEED_CUSTOMERS: readonly Customer[] = LAST_NAMES.flatMap((lastName, family) =>
  FIRST_NAMES.map((firstName, person): Customer => {
    const running = family * FIRST_NAMES.length + person
    const [street, postalCode, city, country, countryCode] = PLACES[(family + person) % PLACES.length] ?? []
    if (!street || !postalCode || !city || !country || !countryCode) throw new RangeError('There is no such place.')
    const customerId = 4_801 + running
    return {
      customerId,
      customerExtId: `C-${customerId}`,
      firstName,
      lastName,
      email: `${firstName}.${lastName}@example.com`.toLowerCase(),
      phonePrefix: countryCode === 'NO' ? '47' : '46',
      phone: String(40_000_001 + running * 1_111),
      address: { address1: `${street} ${running + 1}`, city, postalCode, country, countryCode },
    }
  }),
)
