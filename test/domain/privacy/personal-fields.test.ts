import { expect, test } from 'vitest'
import { personNodesOf, swapPersonal } from '../../../src/domain/privacy/person-nodes.ts'
import {
  isPersonsKind,
  isPersonsObject,
  type PersonalDataType,
  personalFieldOf,
} from '../../../src/domain/privacy/personal-fields.ts'

const all = (sort: PersonalDataType, names: string) => Object.fromEntries(names.split(' ').map((name) => [name, sort]))

/** What says who somebody is wherever it stands, and what it is. */
const ANYWHERE: Record<string, PersonalDataType> = {
  customerId: 'customer',
  customerExtId: 'customer',
  customerGuid: 'customer',
  customerNo: 'customer',
  email: 'email',
  emailAddress: 'email',
  customerEmail: 'email',
  customerPhone: 'phone',
  customerMobile: 'phone',
  recipient: 'text',
  recipientName: 'name',
  firstName: 'name',
  lastName: 'name',
  customerFirstName: 'name',
  customerLastName: 'name',
  customerName: 'name',
  customerCompany: 'name',
  customerAddress: 'address',
  customerAddress1: 'address',
  customerAddress2: 'address',
  customerPostalCode: 'place',
  customerCity: 'place',
  customerIpAddress: 'trait',
  customerUserAgent: 'trait',
  comment: 'text',
  comments: 'text',
  note: 'text',
  notes: 'text',
  customerNote: 'text',
  remark: 'text',
  customerComment: 'text',
  orderNote: 'text',
  orderComment: 'text',
  giftMessage: 'text',
  deliveryComment: 'text',
  deliveryInstruction: 'text',
  deliveryInstructions: 'text',
}

/** What is a store's, an article's or a company's, but in the object of a person. */
const OF_A_PERSON: Record<string, PersonalDataType> = {
  extId: 'customer',
  cardNo: 'customer',
  taxId: 'customer',
  orgNum: 'customer',
  phone: 'phone',
  phoneNumber: 'phone',
  mobile: 'phone',
  mobilePhone: 'phone',
  name: 'name',
  fullName: 'name',
  companyName: 'name',
  careOf: 'name',
  address: 'address',
  address1: 'address',
  address2: 'address',
  street: 'address',
  postalCode: 'place',
  zip: 'place',
  zipCode: 'place',
  city: 'place',
  province: 'place',
  gender: 'trait',
  birthday: 'trait',
  birthYear: 'trait',
  tags: 'trait',
  langCode: 'trait',
  description: 'text',
  ...all(
    'customer',
    'altPersonId memberNo memberNumber memberId membershipNo membershipNumber membershipId loyaltyNo loyaltyNumber',
  ),
  ...all(
    'customer',
    'loyaltyId loyaltyCardNo loyaltyCardNumber bonusCardNo cardNumber clubNo personalNumber personalId nationalId',
  ),
  ...all(
    'customer',
    'ssn socialSecurityNumber passportNo vatNo vatNumber vatId taxVat orgNo organizationNumber organisationNumber',
  ),
  ...all('customer', 'iban bankAccount accountNumber'),
  ...all('email', 'email1 email2 emailAddress1 emailAddress2 mail contactEmail'),
  ...all(
    'phone',
    'phone1 phone2 phoneNo mobileNo mobileNumber mobilePhoneNumber cellPhone homePhone workPhone tel telephone',
  ),
  ...all('phone', 'telephone1 telephone2 telephoneNo telephoneNumber fax contactPhone'),
  ...all(
    'name',
    'displayName nickname username middleName surname familyName givenName forename maidenName contactName',
  ),
  ...all('name', 'contactPerson attention company'),
  ...all(
    'address',
    'address3 addressLine addressLine1 addressLine2 addressLine3 line1 line2 street1 street2 streetLine1',
  ),
  ...all('address', 'streetLine2 streetName streetAddress'),
  ...all('place', 'postcode town locality houseNumber apartment latitude longitude'),
  ...all(
    'trait',
    'password pin picture birthDate dateOfBirth dob age sex salutation nationality maritalStatus photo avatar',
  ),
  ...all('trait', 'avatarUrl ipAddress ip userAgent'),
  ...all('text', 'despcription message extProperties memo freeText doorCode'),
}

const NOBODYS = { total: 'stays', receiptNo: 'stays', sku: 'stays', number: 'stays', constructor: 'stays' }

const said = (names: object) => Object.fromEntries(Object.keys(names).map((name) => [name, `what ${name} says`]))
const sorts = (kind: string, payload: unknown) => swapPersonal(kind, payload, (_value, { sort }) => sort)

test('When a payload is of a person as a whole, then each personal field is found, and is what it is', () => {
  const payload = { ...said(ANYWHERE), ...said(OF_A_PERSON), ...NOBODYS }
  expect(sorts('CustomerCreated', payload)).toEqual({ ...ANYWHERE, ...OF_A_PERSON, ...NOBODYS })
})

test('When fields stand in nobody’s object, then those are personal that say who somebody is anywhere', () => {
  const payload = { ...said(ANYWHERE), ...said(OF_A_PERSON) }
  expect(sorts('SaleCreated', payload)).toEqual({ ...ANYWHERE, ...said(OF_A_PERSON) })
})

test('When a name is written in other capitals, then it is the same field', () => {
  expect(sorts('', { CUSTOMERID: '17', EmailAddress: 'a@b.example', firstname: 'Bo' })).toEqual({
    CUSTOMERID: 'customer',
    EmailAddress: 'email',
    firstname: 'name',
  })
})

test('When a customer has a number, then it is an id of theirs; an article’s is none', () => {
  expect(personalFieldOf('number', true, 'customer')?.sort).toBe('customer')
  expect(personalFieldOf('Number', true, 'Customer')?.sort).toBe('customer')
  expect(personalFieldOf('number', true, 'billingAddress')).toBeNull()
  expect(personalFieldOf('number', false, 'orderLines')).toBeNull()
})

test('When an object is a person’s by its name, then all of it is theirs; a store and who works there are nobody’s', () => {
  const person = { phone: '40404040', city: 'Oslo', address: { street: 'Gata 1' } }
  const theirs = { phone: 'phone', city: 'place', address: { street: 'address' } }
  for (const name of [
    ...['customer', 'buyer', 'consignee', 'billing', 'shipping', 'billingAddress', 'shippingAddress'],
    ...['deliveryAddress', 'invoiceAddress', 'shipTo', 'recipient', 'member', 'Customer', 'billing_address'],
    ...'payer guest billTo soldTo homeAddress postalAddress pickupPerson contact contactPerson'.split(' '),
    ...['customers', 'guests'],
  ]) {
    expect([name, isPersonsObject(name)]).toEqual([name, true])
    expect(sorts('SaleCreated', { [name]: person })).toEqual({ [name]: theirs })
  }
  for (const name of [
    ...['store', 'salesPerson', 'employee', 'cashier', 'supplier', 'fulfillmentLocation', 'Store', 'registeredStore'],
    ...['homeStore', 'favoriteStore', 'favouriteStore', 'promotions', 'promotionsOffers', 'offers', 'coupons'],
  ]) {
    expect([name, isPersonsObject(name)]).toEqual([name, false])
    const inside = { ...person, email: 'shop@store.example', manager: { firstName: 'Eva' } }
    expect(sorts('CustomerCreated', { [name]: inside }), 'in a person’s payload, too').toEqual({ [name]: inside })
  }
  expect(isPersonsObject('orderLines')).toBeNull()
  expect(sorts('SaleCreated', { lines: [person] }), 'of a list that is nobody’s').toEqual({ lines: [person] })
})

test('When the place that hands an order out says to whom it goes, then that is a person’s, and nothing else of it', () => {
  const place = {
    stockName: 'Oslo',
    email: 'shop@store.example',
    phone: '22000000',
    shipments: [{ items: [{ name: 'Cap' }] }],
  }
  const to = { firstName: 'Ulfine', address1: 'Gata 1', comment: 'the door is blue' }
  const found = { firstName: 'name', address1: 'address', comment: 'text' }
  const notified = (deliveryAddress: object) => ({ fulfillmentLocation: { ...place, deliveryAddress } })
  expect(sorts('OmniChannelOrderUpdated', notified(to))).toEqual(notified(found))
  expect(sorts('CustomerUpdated', notified(to))).toEqual(notified(found))
  expect(sorts('', { store: { deliveryAddress: to } }), 'of a store').toEqual({ store: { deliveryAddress: to } })
})

test('When a shop’s own order is kept because nobody could read it, then its buyer is found there as well', () => {
  const billing = {
    first_name: 'Ulf',
    last_name: 'Berg',
    company: 'Berg AS',
    address_1: 'Gata 1',
    address_2: '',
    postcode: '5003',
  }
  const shop = { number: '1001', customer_note: 'ring twice', customer_ip_address: '10.1.2.3', total: '12.00' }
  expect(sorts('OrderSubmitted', { ...shop, billing: { ...billing, city: 'Bergen', country: 'NO' } })).toEqual({
    ...{ number: '1001', customer_note: 'text', customer_ip_address: 'trait', total: '12.00' },
    billing: {
      ...{ first_name: 'name', last_name: 'name', company: 'name', address_1: 'address', address_2: '' },
      ...{ postcode: 'place', city: 'place', country: 'NO' },
    },
  })
})

test('When a field is a list of texts, then each is swapped; of a list of people each is somebody', () => {
  const listed = { tags: ['golf', 'tennis'], street: ['Gata 1', '2nd floor'], extra: ['stays'] }
  const swapped = { tags: ['trait', 'trait'], street: ['address', 'address'], extra: ['stays'] }
  expect(sorts('', { customer: listed })).toEqual({ customer: swapped })
  const people = personNodesOf('', { customers: [{ email: 'a@b.example' }, { email: 'c@d.example' }] })
  expect(people.map(({ values }) => values.map(({ value }) => value))).toEqual([['a@b.example'], ['c@d.example']])
})

test('When a kind is of persons, then its payload is theirs', () => {
  const kinds = [...['CustomerCreated', 'CustomerUpdated', 'CustomerSubmitted', 'CustomerDeletionSubmitted']]
  for (const kind of kinds) expect([kind, isPersonsKind(kind)]).toEqual([kind, true])
  expect(isPersonsKind('SaleCreated')).toBe(false)
})
