import { PERSONAL_FIELDS, type PersonalField, plainName } from './personal-names.ts'

/** Fields of the object of a customer itself, which are other things' elsewhere: the mirror calls ids of own systems so. */
const CUSTOMERS_FIELDS: Readonly<Record<string, PersonalField>> = {
  number: { sort: 'customer', from: 'guess', within: 'person' },
}

/** Names of objects that are a person's, wherever they stand. */
const PERSONS = new Set([
  'customer',
  'buyer',
  'consignee',
  'payer',
  'guest',
  'billto',
  'soldto',
  'billing',
  'shipping',
  'billingaddress',
  'shippingaddress',
  'deliveryaddress',
  'invoiceaddress',
  'shipto',
  'homeaddress',
  'postaladdress',
  'recipient',
  'pickupperson',
  'contact',
  'contactperson',
  'member',
  'customers',
  'guests',
])

/** Kinds of events whose payload is a person's as a whole. */
const PERSONS_KINDS = new Set(['CustomerCreated', 'CustomerUpdated', 'CustomerSubmitted', 'CustomerDeletionSubmitted'])

/**
 * Names of objects in which nothing is a customer's: people who work in a store are not whom this is about, and a customer's offers and
 * favourite store have names of their own.
 */
const NOT_PERSONS = new Set([
  ...['store', 'homestore', 'favoritestore', 'favouritestore', 'registeredstore'],
  ...['salesperson', 'employee', 'cashier', 'supplier', 'fulfillmentlocation'],
  ...['promotions', 'promotionsoffers', 'offers', 'coupons'],
])

/** The object of a place in which the platform says to whom an order goes (public facts): nothing else of it is a customer's. */
const WITH_PERSONS = 'fulfillmentlocation'

/** Whether an object of that name is a person's, or none; null: as what it stands in. */
export function isPersonsObject(name: string): boolean | null {
  const known = plainName(name)
  if (NOT_PERSONS.has(known)) return false
  return PERSONS.has(known) ? true : null
}

/** Whether a person's object may stand in an object of that name, which is nobody's. */
export function mayHoldPersons(name: string): boolean {
  return plainName(name) === WITH_PERSONS
}

/** Whether the payload of that kind is a person's as a whole. */
export function isPersonsKind(kind: string): boolean {
  return PERSONS_KINDS.has(kind)
}

/** The personal field of that name; null: it is none. `isPersons`: it stands in an object that is a person's; `object`: in one of that name. */
export function personalFieldOf(name: string, isPersons: boolean, object: string): PersonalField | null {
  const known = plainName(name)
  if (plainName(object) === 'customer' && Object.hasOwn(CUSTOMERS_FIELDS, known)) return CUSTOMERS_FIELDS[known] ?? null
  const found = PERSONAL_FIELDS.get(known)
  return found !== undefined && (isPersons || found.within === 'any') ? found : null
}

/** Whether a value under that name may be of a person, whatever it stands in: what is shown to people does not show it. */
export function mayBePersonal(name: string): boolean {
  return PERSONAL_FIELDS.has(plainName(name))
}

/** Names of fields, in small letters, that say who a person is wherever they stand: no log line has a value of theirs. */
export function hiddenNames(): string[] {
  return [...PERSONAL_FIELDS].flatMap(([name, { sort, within }]) =>
    within === 'any' && ['email', 'phone', 'name', 'address', 'place'].includes(sort) ? [name] : [],
  )
}
