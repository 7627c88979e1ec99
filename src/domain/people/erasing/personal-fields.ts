import { createHash } from 'node:crypto'

/** The sort of a personal field: it says what stands there instead once the person is forgotten. */
export type PersonalSort = 'name' | 'email' | 'phone' | 'address' | 'place' | 'customer' | 'trait' | 'text'

/** Where a field is known from: the specification, the platform's public documentation, or field models of shops and CRMs. */
type From = 'spec' | 'public' | 'guess'

interface PersonalField {
  sort: PersonalSort
  /** `any`: wherever it stands. `person`: only of an object that is a person's; elsewhere it is a store's, or an article's. */
  within: 'any' | 'person'
}

type Names = Partial<Record<PersonalSort, string>>

const ANYWHERE: Readonly<Record<From, Names>> = {
  spec: {
    customer: 'customerId customerExtId',
    email: 'email',
    name: 'firstName lastName',
    text: 'recipient comment',
  },
  public: { customer: 'customerGuid' },
  guess: {
    customer: 'customerNo',
    email: 'emailAddress customerEmail',
    phone: 'customerPhone customerMobile',
    name: 'recipientName customerFirstName customerLastName customerName customerCompany',
    address: 'customerAddress customerAddress1 customerAddress2',
    place: 'customerPostalCode customerCity',
    trait: 'customerIpAddress customerUserAgent',
    text: `comments note notes remark customerNote customerComment orderNote orderComment giftMessage deliveryComment
      deliveryInstruction deliveryInstructions`,
  },
}

const OF_A_PERSON: Readonly<Record<From, Names>> = {
  spec: {
    customer: 'extId',
    phone: 'phone',
    name: 'companyName',
    address: 'address address1 address2',
    place: 'postalCode city',
  },
  public: {
    customer: 'cardNo taxId orgNum altPersonId',
    place: 'province',
    trait: 'gender birthday birthYear tags langCode password pin picture',
    // The platform's own documentation writes it so.
    text: 'description despcription message extProperties',
  },
  guess: {
    customer: `memberNo memberNumber memberId membershipNo membershipNumber membershipId loyaltyNo loyaltyNumber loyaltyId
      loyaltyCardNo loyaltyCardNumber bonusCardNo cardNumber clubNo personalNumber personalId nationalId ssn
      socialSecurityNumber passportNo vatNo vatNumber vatId taxVat orgNo organizationNumber organisationNumber iban bankAccount
      accountNumber`,
    email: 'email1 email2 emailAddress1 emailAddress2 mail contactEmail',
    phone: `phone1 phone2 phoneNo phoneNumber mobile mobileNo mobileNumber mobilePhone mobilePhoneNumber cellPhone homePhone workPhone
      tel telephone telephone1 telephone2 telephoneNo telephoneNumber fax contactPhone`,
    name: `name fullName displayName nickname username middleName surname familyName givenName forename maidenName careOf company
      contactName contactPerson attention`,
    address: `address3 addressLine addressLine1 addressLine2 addressLine3 line1 line2 street street1 street2 streetLine1 streetLine2
      streetName streetAddress`,
    place: 'zip zipCode postcode town locality houseNumber apartment latitude longitude',
    trait:
      'birthDate dateOfBirth dob age sex salutation nationality maritalStatus photo avatar avatarUrl ipAddress ip userAgent',
    text: 'memo freeText doorCode',
  },
}

export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_\s-]/g, '')
}

/** The personal fields of all dialects, by their plain names. */
export const PERSONAL_FIELDS: ReadonlyMap<string, PersonalField> = new Map([
  ...fieldsOf(ANYWHERE, 'any'),
  ...fieldsOf(OF_A_PERSON, 'person'),
])

const PLATFORM_IDS = new Set(['customerid', 'customerguid', 'customerno'])
const EXTERNAL_IDS = new Set(['customerextid', 'extid'])

/**
 * Whose id of a customer stands there: the platform's, or an own system's, which may have the same one for somebody else. Null: it
 * identifies nobody; numbers of cards and of taxes are a person's, but no key of a customer.
 */
export function idSortOf(name: string): 'platform' | 'external' | null {
  const known = plainName(name)
  if (PLATFORM_IDS.has(known)) return 'platform'
  return EXTERNAL_IDS.has(known) ? 'external' : null
}

function fieldsOf(all: Readonly<Record<From, Names>>, within: PersonalField['within']): [string, PersonalField][] {
  return Object.values(all).flatMap((bySort) =>
    (Object.entries(bySort) as [PersonalSort, string][]).flatMap(([sort, names]) =>
      names.split(/\s+/).map((name): [string, PersonalField] => [plainName(name), { sort, within }]),
    ),
  )
}

/** Fields of the object of a customer itself, which are other things' elsewhere: the mirror calls ids of own systems so. */
const CUSTOMERS_FIELDS: Readonly<Record<string, PersonalField>> = {
  number: { sort: 'customer', within: 'person' },
}

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

/** The receipt as it was printed: the POS puts the customer's name and number on it, and it is of the books. */
const PRINTED = 'receiptformatted'

export function isFreeText(name: string): boolean {
  return plainName(name) === PRINTED || personalFieldOf(name, false, '')?.sort === 'text'
}

/** Where only a free text may say who somebody is: no machine looks for names there, an operator does. */
export const PLACES_TO_LOOK = `Not searched: names and addresses in free texts of others (${[
  'comment, note, giftMessage, receiptFormatted and the like of their events',
  'names of articles that were engraved',
  'reasons in the audit',
  'notes at destinations',
].join('; ')}): look there yourself.`

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

/** The argument of a call for operators: each leaf by its path (`lines.0.gtin`), personal data and free text as their length. */
export function shownFields(argument: unknown): Record<string, string> {
  const fields: Record<string, string> = {}
  walk(argument, '', fields)
  return Object.fromEntries(Object.entries(fields).map(([path, value]) => [path, shownField(path, value)]))
}

function walk(value: unknown, path: string, fields: Record<string, string>): void {
  if (value === undefined) return
  if (value instanceof Uint8Array) {
    const hash = createHash('sha256').update(value).digest('hex').slice(0, 12)
    fields[path] = `${value.byteLength} bytes (${hash})`
  } else if (value === null || typeof value !== 'object') {
    fields[path] = String(value)
  } else {
    const entries = Object.entries(value)
    // What was there and is empty is told from what was not there.
    if (entries.length === 0) fields[path] = Array.isArray(value) ? '[]' : '{}'
    for (const [key, inner] of entries) walk(inner, path === '' ? key : `${path}.${key}`, fields)
  }
}

/** Words in a path behind which personal data may stand: whole subtrees of it. */
const PERSONAL =
  /customer|person|mail|phone|name|address|birth|formatted|signature|url|seller|cashier|employee|user|comment|note|text|(?:^|\.)to(?:\.|$)/i

/** Numbers, ids, codes and times: one word without anything that a mail address has. */
const PLAIN = /^[\p{L}\d._:/%+[\]{}()-]{1,60}$/u

/** The value of a field as it is shown to people: what may be of a person, or is free text, is told by its length alone. */
export function shownField(path: string, value: string): string {
  if (BYTES.test(value) || ['null', 'true', 'false'].includes(value)) return value
  const isPersonal = PERSONAL.test(path) || path.split('.').some(mayBePersonal)
  if (!isPersonal && PLAIN.test(value)) return value
  return `… (${[...value].length} signs)`
}

const BYTES = /^\d+ bytes \([\da-f]{12}\)$/
