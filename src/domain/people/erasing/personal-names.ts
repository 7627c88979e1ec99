/** The sort of a personal field: it says what stands there instead once the person is forgotten. */
export type PersonalSort = 'name' | 'email' | 'phone' | 'address' | 'place' | 'customer' | 'trait' | 'text'

/** Where a field is known from: the specification, the platform's public documentation, or field models of shops and CRMs. */
type From = 'spec' | 'public' | 'guess'

export interface PersonalField {
  sort: PersonalSort
  from: From
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

/** A name of a field as it is compared: `first_name` is `firstName`. Pure. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_\s-]/g, '')
}

/**
 * The personal fields of all dialects, by their plain names. It is the one list that masking in logs, masked samples, export and erasure
 * go by.
 */
export const PERSONAL_FIELDS: ReadonlyMap<string, PersonalField> = new Map([
  ...fieldsOf(ANYWHERE, 'any'),
  ...fieldsOf(OF_A_PERSON, 'person'),
])

const IDS = new Set(['customerid', 'customerextid', 'customerguid', 'customerno', 'extid'])

/** Whether a customer is told by what stands there. Numbers of cards and of taxes are a person's, but name nobody elsewhere. Pure. */
export function isCustomerId(name: string): boolean {
  return IDS.has(plainName(name))
}

function fieldsOf(all: Readonly<Record<From, Names>>, within: PersonalField['within']): [string, PersonalField][] {
  return (Object.entries(all) as [From, Names][]).flatMap(([from, bySort]) =>
    (Object.entries(bySort) as [PersonalSort, string][]).flatMap(([sort, names]) =>
      names.split(/\s+/).map((name): [string, PersonalField] => [plainName(name), { sort, from, within }]),
    ),
  )
}
