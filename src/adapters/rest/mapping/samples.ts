import type { OrderReturn } from '../../../domain/orders/order-return.ts'
import type { OrderLineUpdate, OrderUpdate } from '../../../domain/orders/order-update.ts'
import type { CustomerConsent } from '../../../domain/people/consent.ts'
import type { CustomerRecord } from '../../../domain/people/customer-record.ts'
import type { ForgottenCustomer } from '../../../domain/people/erasing/notice.ts'
import { parseDecimal } from '../../../domain/values/money.ts'
import type { StockLevel } from '../../../ports/stock.ts'
import { bookingSample } from './booking-samples.ts'
import type { WrittenBooking } from './inputs.ts'
import { one, tillOrder, times } from './sample-parts.ts'

/*
 * What mappings are tried on when the hub starts: everything that there may be is there. `count` of each list: JSONata gives
 * a list of one bare, which only shows when there is one.
 */

const line: OrderLineUpdate = { key: '1', rowId: '1', gtin: '7090012340011', quantity: one, status: 'Picked' }

function orderUpdate(count: number): OrderUpdate {
  return {
    number: 'A1',
    platformId: '0d8f8a5e-2f0c-4a4e-9a53-6d9a52a1f001',
    status: 'Picked',
    shipments: times(count, parcel),
    lines: times(count, () => line),
    stockId: '12',
    stockName: 'Oslo City',
  }
}

function parcel(_: number, count = 1) {
  return { id: 'S-1', items: times(count, () => ({ gtin: '7090012340011', quantity: one })) }
}

function refundOf(count: number): OrderReturn {
  return {
    number: 'A1',
    refundId: '5b1f6a44-93a3-4e39-8f6c-9b8b8c1de002',
    status: 'Returned',
    isRefunded: false,
    lines: times(count, () => ({ ...line, status: 'Returned' })),
    stockId: '12',
    stockName: 'Oslo City',
  }
}

const customer: CustomerRecord = {
  customerId: '501',
  extId: 'C-9',
  email: 'kari.nordmann@example.com',
  firstName: 'Kari',
  lastName: 'Nordmann',
  companyName: 'Nordmann AS',
  phone: '+4791234567',
  address: 'Storgata 1',
  postalCode: '0155',
  city: 'Oslo',
  countryCode: 'NO',
}

const consent: CustomerConsent = {
  customerId: '501',
  extId: 'C-9',
  email: 'kari.nordmann@example.com',
  phone: '+4791234567',
  agreedSendEmail: true,
  agreedSendSms: false,
  agreedAt: '2026-11-20T14:01:00',
}

function forgottenOf(count: number): ForgottenCustomer {
  return {
    pseudonym: 'erased-7f3a01bc',
    customerIds: times(count, () => '501'),
    theirIds: times(count, () => '99'),
    emails: times(count, () => 'kari.nordmann@example.com'),
    orders: times(count, () => '12'),
  }
}

const stock: StockLevel = {
  location: 'oslo',
  gtin: '7090012340011',
  sku: 'TEE-BLK-M',
  level: parseDecimal(4),
}

/** The input of a method, by its place in the config. */
export function sampleOf(section: string, method: string, count: number): object {
  const key = 'SampleKind:1:sample-flow:'
  const theirId = '99'
  if (section === 'customers' && method === 'erase') return { key, theirId, forgotten: forgottenOf(count) }
  if (section === 'customers' && method === 'noteConsent') return { key, theirId, consent }
  if (section === 'customers') return method === 'upsert' ? { key, theirId, customer } : question(method, count)
  if (section === 'backOffice') return { key, ...bookingSample(method as WrittenBooking, count) }
  if (section === 'stock') return { key, stock, levels: times(count, () => stock) }
  if (method === 'search') return { number: 'A1' }
  // An order that is being created has no id there yet.
  return { key, ...(!isNew(method) && { theirId, ofTill: true }), ...orderSample(method, count) }
}

function isNew(method: string): method is 'create' | 'draft' {
  return method === 'create' || method === 'draft'
}

function orderSample(method: string, count: number): object {
  const order = orderUpdate(count)
  if (isNew(method)) return { order: tillOrder(count) }
  switch (method) {
    case 'decline':
      return { order, line, quantity: one }
    case 'ship':
      return { order, parcel: parcel(0, count) }
    case 'refund':
    case 'noteRefund':
      return { refund: refundOf(count), line, quantity: one }
    case 'expire':
      return { order: { number: order.number, lines: order.lines } }
    default:
      return { order }
  }
}

function question(method: string, count: number): object {
  if (method === 'byEmail') return { email: customer.email }
  return { phones: times(count, () => '+4791234567'), phone: '+4791234567', typed: '91234567' }
}
