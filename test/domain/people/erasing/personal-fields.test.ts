import { expect, test } from 'vitest'
import { swapPersonal } from '../../../../src/domain/people/erasing/person-nodes.ts'
import {
  isPersonsKind,
  isPersonsObject,
  mayBePersonal,
  type PersonalSort,
  personalFieldOf,
} from '../../../../src/domain/people/erasing/personal-fields.ts'

/** What says who somebody is wherever it stands, and what it is. */
const ANYWHERE: Record<string, PersonalSort> = {
  customerId: 'customer',
  customerExtId: 'customer',
  customerGuid: 'customer',
  customerNo: 'customer',
  email: 'email',
  emailAddress: 'email',
  customerEmail: 'email',
  customerPhone: 'phone',
  recipient: 'text',
  recipientName: 'name',
  firstName: 'name',
  lastName: 'name',
  customerFirstName: 'name',
  customerLastName: 'name',
  customerName: 'name',
  customerCompany: 'name',
  customerAddress: 'address',
  customerPostalCode: 'place',
  customerCity: 'place',
  comment: 'text',
  comments: 'text',
  note: 'text',
  notes: 'text',
  customerNote: 'text',
  remark: 'text',
  giftMessage: 'text',
}

/** What is a store's, an article's or a company's, but in the object of a person. */
const OF_A_PERSON: Record<string, PersonalSort> = {
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
  expect(mayBePersonal('PostalCode')).toBe(true)
  expect(mayBePersonal('total')).toBe(false)
  expect(mayBePersonal('constructor')).toBe(false)
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
    ...['deliveryAddress', 'invoiceAddress', 'shipTo', 'recipient', 'member', 'Customer'],
  ]) {
    expect([name, isPersonsObject(name)]).toEqual([name, true])
    expect(sorts('SaleCreated', { [name]: person })).toEqual({ [name]: theirs })
  }
  for (const name of ['store', 'salesPerson', 'employee', 'cashier', 'supplier', 'fulfillmentLocation', 'Store']) {
    expect([name, isPersonsObject(name)]).toEqual([name, false])
    const inside = { ...person, email: 'shop@store.example', manager: { firstName: 'Eva' } }
    expect(sorts('CustomerCreated', { [name]: inside }), 'in a person’s payload, too').toEqual({ [name]: inside })
  }
  expect(isPersonsObject('orderLines')).toBeNull()
  expect(sorts('SaleCreated', { lines: [person] }), 'of a list that is nobody’s').toEqual({ lines: [person] })
})

test('When a kind is of persons, then its payload is theirs', () => {
  const kinds = [
    ...['CustomerCreated', 'CustomerUpdated', 'CustomerSubmitted', 'CustomerDeletionSubmitted'],
    ...['ConsentSubmitted', 'PointsSubmitted'],
  ]
  for (const kind of kinds) expect([kind, isPersonsKind(kind)]).toEqual([kind, true])
  expect(isPersonsKind('SaleCreated')).toBe(false)
})
