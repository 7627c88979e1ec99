export type PersonalDataType = 'name' | 'email' | 'phone' | 'address' | 'place' | 'customer' | 'trait' | 'text'

type From = 'spec' | 'public' | 'guess'

interface PersonalField {
  sort: PersonalDataType
  /** `person`: only in an object of a person; elsewhere it is a store's or an article's. */
  within: 'any' | 'person'
}

type Names = Partial<Record<PersonalDataType, string>>

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

export const PERSONAL_FIELDS: ReadonlyMap<string, PersonalField> = new Map([
  ...fieldsOf(ANYWHERE, 'any'),
  ...fieldsOf(OF_A_PERSON, 'person'),
])

const PLATFORM_IDS = new Set(['customerid', 'customerguid', 'customerno'])
const EXTERNAL_IDS = new Set(['customerextid', 'extid'])

/** Whose id of a customer; null: no key (card and tax numbers). */
export function idSortOf(name: string): 'platform' | 'external' | null {
  const known = plainName(name)
  if (PLATFORM_IDS.has(known)) return 'platform'
  return EXTERNAL_IDS.has(known) ? 'external' : null
}

function fieldsOf(all: Readonly<Record<From, Names>>, within: PersonalField['within']): [string, PersonalField][] {
  return Object.values(all).flatMap((bySort) =>
    (Object.entries(bySort) as [PersonalDataType, string][]).flatMap(([sort, names]) =>
      names.split(/\s+/).map((name): [string, PersonalField] => [plainName(name), { sort, within }]),
    ),
  )
}

const PERSONS =
  wordsOf(`customer buyer consignee payer guest billto soldto billing shipping billingaddress shippingaddress
  deliveryaddress invoiceaddress shipto homeaddress postaladdress recipient pickupperson contact contactperson member
  customers guests`)

function wordsOf(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/))
}

const PERSONS_KINDS = new Set(['CustomerCreated', 'CustomerUpdated', 'CustomerSubmitted', 'CustomerDeletionSubmitted'])

/** Objects without customer data: staff is not erased; offers and favourite stores have names. */
const NOT_PERSONS =
  wordsOf(`store homestore favoritestore favouritestore registeredstore salesperson employee cashier supplier
  fulfillmentlocation promotions promotionsoffers offers coupons`)

const WITH_PERSONS = 'fulfillmentlocation'

/** Null: as the object around it. */
export function isPersonsObject(name: string): boolean | null {
  const known = plainName(name)
  if (NOT_PERSONS.has(known)) return false
  return PERSONS.has(known) ? true : null
}

export function mayHoldPersons(name: string): boolean {
  return plainName(name) === WITH_PERSONS
}

export function isPersonsKind(kind: string): boolean {
  return PERSONS_KINDS.has(kind)
}

export function personalFieldOf(name: string, isPersons: boolean, object: string): PersonalField | null {
  const known = plainName(name)
  // The mirror calls the external id of a customer so.
  if (plainName(object) === 'customer' && known === 'number') return { sort: 'customer', within: 'person' }
  const found = PERSONAL_FIELDS.get(known)
  return found !== undefined && (isPersons || found.within === 'any') ? found : null
}

const PRINTED = 'receiptformatted'

export function isFreeText(name: string): boolean {
  return plainName(name) === PRINTED || personalFieldOf(name, false, '')?.sort === 'text'
}

/** Free texts are not searched for names: an operator does. */
export const PLACES_TO_LOOK = `Not searched: names and addresses in free texts of others (${[
  'comment, note, giftMessage, receiptFormatted and the like of their events',
  'names of articles that were engraved',
  'reasons in the audit',
  'notes at destinations',
].join('; ')}): look there yourself.`
