/** The sort of a personal field: it says what stands there instead once the person is forgotten. */
export type PersonalSort = 'name' | 'email' | 'phone' | 'address' | 'place' | 'customer' | 'trait' | 'text'

/** Where a field is known from. */
type From = 'spec' | 'public' | 'guess'

export interface PersonalField {
  sort: PersonalSort
  from: From
  /** `any`: wherever it stands. `person`: only of an object that is a person's; elsewhere it is a store's, or an article's. */
  within: 'any' | 'person'
}

const field = (sort: PersonalSort, from: From, within: PersonalField['within'] = 'person'): PersonalField => ({
  sort,
  from,
  within,
})

/**
 * The personal fields of all dialects, by their names in small letters. It is the one list that masking in logs, masked
 * samples, export and erasure go by.
 */
const PERSONAL_FIELDS: Readonly<Record<string, PersonalField>> = {
  customerid: field('customer', 'spec', 'any'),
  customerextid: field('customer', 'spec', 'any'),
  customerguid: field('customer', 'public', 'any'),
  customerno: field('customer', 'guess', 'any'),
  extid: field('customer', 'spec'),
  cardno: field('customer', 'public'),
  taxid: field('customer', 'public'),
  orgnum: field('customer', 'public'),
  email: field('email', 'spec', 'any'),
  emailaddress: field('email', 'guess', 'any'),
  customeremail: field('email', 'guess', 'any'),
  phone: field('phone', 'spec'),
  phonenumber: field('phone', 'guess'),
  mobile: field('phone', 'guess'),
  mobilephone: field('phone', 'guess'),
  customerphone: field('phone', 'guess', 'any'),
  recipient: field('text', 'spec', 'any'),
  recipientname: field('name', 'guess', 'any'),
  firstname: field('name', 'spec', 'any'),
  lastname: field('name', 'spec', 'any'),
  customerfirstname: field('name', 'guess', 'any'),
  customerlastname: field('name', 'guess', 'any'),
  customername: field('name', 'guess', 'any'),
  customercompany: field('name', 'guess', 'any'),
  name: field('name', 'guess'),
  fullname: field('name', 'guess'),
  companyname: field('name', 'spec'),
  careof: field('name', 'guess'),
  address: field('address', 'spec'),
  address1: field('address', 'spec'),
  address2: field('address', 'spec'),
  street: field('address', 'guess'),
  customeraddress: field('address', 'guess', 'any'),
  postalcode: field('place', 'spec'),
  zip: field('place', 'guess'),
  zipcode: field('place', 'guess'),
  city: field('place', 'spec'),
  province: field('place', 'public'),
  customerpostalcode: field('place', 'guess', 'any'),
  customercity: field('place', 'guess', 'any'),
  gender: field('trait', 'public'),
  birthday: field('trait', 'public'),
  birthyear: field('trait', 'public'),
  tags: field('trait', 'public'),
  langcode: field('trait', 'public'),
  description: field('text', 'public'),
  comment: field('text', 'spec', 'any'),
  comments: field('text', 'guess', 'any'),
  note: field('text', 'guess', 'any'),
  notes: field('text', 'guess', 'any'),
  customernote: field('text', 'guess', 'any'),
  remark: field('text', 'guess', 'any'),
  giftmessage: field('text', 'guess', 'any'),
}

/** Fields of the object of a customer itself, which are other things' elsewhere: the mirror calls ids of own systems so. */
const CUSTOMERS_FIELDS: Readonly<Record<string, PersonalField>> = {
  number: field('customer', 'guess'),
}

/** Names of objects that are a person's, wherever they stand. */
const PERSONS = new Set([
  'customer',
  'buyer',
  'consignee',
  'billing',
  'shipping',
  'billingaddress',
  'shippingaddress',
  'deliveryaddress',
  'invoiceaddress',
  'shipto',
  'recipient',
  'member',
])

/** Kinds of events whose payload is a person's as a whole. */
const PERSONS_KINDS = new Set([
  'CustomerCreated',
  'CustomerUpdated',
  'CustomerSubmitted',
  'CustomerDeletionSubmitted',
  'ConsentSubmitted',
  'PointsSubmitted',
])

/** Names of objects in which nothing is a customer's: people who work in a store are not whom this is about. */
const NOT_PERSONS = new Set(['store', 'salesperson', 'employee', 'cashier', 'supplier', 'fulfillmentlocation'])

/** Whether an object of that name is a person's, or none; null: as what it stands in. */
export function isPersonsObject(name: string): boolean | null {
  const known = name.toLowerCase()
  if (NOT_PERSONS.has(known)) return false
  return PERSONS.has(known) ? true : null
}

/** Whether the payload of that kind is a person's as a whole. */
export function isPersonsKind(kind: string): boolean {
  return PERSONS_KINDS.has(kind)
}

/** The personal field of that name; null: it is none. `isPersons`: it stands in an object that is a person's; `object`: in one of that name. */
export function personalFieldOf(name: string, isPersons: boolean, object: string): PersonalField | null {
  const known = name.toLowerCase()
  if (object.toLowerCase() === 'customer' && Object.hasOwn(CUSTOMERS_FIELDS, known))
    return CUSTOMERS_FIELDS[known] ?? null
  const found = Object.hasOwn(PERSONAL_FIELDS, known) ? PERSONAL_FIELDS[known] : undefined
  return found !== undefined && (isPersons || found.within === 'any') ? found : null
}

/** Whether a value under that name may be of a person, whatever it stands in: what is shown to people does not show it. */
export function mayBePersonal(name: string): boolean {
  return Object.hasOwn(PERSONAL_FIELDS, name.toLowerCase())
}

/** Names of fields, in small letters, that say who a person is wherever they stand: no log line has a value of theirs. */
export function hiddenNames(): string[] {
  return Object.entries(PERSONAL_FIELDS).flatMap(([name, { sort, within }]) =>
    within === 'any' && ['email', 'phone', 'name', 'address', 'place'].includes(sort) ? [name] : [],
  )
}
