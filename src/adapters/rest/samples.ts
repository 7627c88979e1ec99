import type { CustomerRecord } from '../../domain/customer-record.ts'
import { parseDecimal } from '../../domain/money.ts'
import type { TillOrder } from '../../domain/order.ts'
import type { OrderLineUpdate, OrderReturn, OrderUpdate } from '../../domain/order-update.ts'
import type { StockLevel } from '../adapter.ts'

/*
 * What mappings are tried on when the hub starts: everything that there may be is there. `count` of each list: JSONata gives
 * a list of one bare, which only shows when there is one.
 */

const one = parseDecimal(1)
const NOK = (amount: string) => ({ amount: parseDecimal(amount), currency: 'NOK' })

const address = {
  firstName: 'Kari',
  lastName: 'Nordmann',
  address1: 'Storgata 1',
  city: 'Oslo',
  postalCode: '0155',
  country: 'Norway',
  countryCode: 'NO',
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function tillOrder(count: number): TillOrder {
  return {
    number: 'EA-77',
    receiptNo: '1002',
    transactionId: 'tx-1',
    createdAt: '2026-11-20T14:03:27',
    total: NOK('349'),
    lines: times(count, (index) => ({
      rowId: String(index + 1),
      gtin: '7090012340011',
      sku: 'TEE-BLK-M',
      name: 'T-shirt',
      brand: 'Nordlys',
      color: 'Black',
      size: 'M',
      imageUrl: 'https://images.example.com/tee.jpg',
      quantity: one,
      unitPrice: NOK('349'),
      total: NOK('349'),
      vat: NOK('69.8'),
      vatRate: parseDecimal('0.25'),
      fullPrice: NOK('399'),
      shipFromOnlineStore: true,
    })),
    payments: times(count, () => ({ type: 'Card', subType: 'Visa', amount: NOK('349'), transaction: 'tx-1' })),
    store: {
      number: '101',
      name: 'Oslo City',
      organizationNumber: '999888777',
      posId: '3',
      posName: 'Till 3',
      salesPerson: 'Ola',
      address,
    },
    customer: {
      firstName: 'Kari',
      lastName: 'Nordmann',
      companyName: 'Nordmann AS',
      email: 'kari.nordmann@example.com',
      phone: '+47 91234567',
      number: 'C-9',
      address,
    },
    shippingAddress: address,
    shipping: { carrierId: 'bring', carrierService: 'Parcel', rateId: 'rate-9', pickupPointId: 'point-3' },
  }
}

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

const refund: Omit<OrderReturn, 'lines'> = {
  number: 'A1',
  refundId: '5b1f6a44-93a3-4e39-8f6c-9b8b8c1de002',
  status: 'Returned',
  isRefunded: false,
  stockId: '12',
  stockName: 'Oslo City',
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

const stock: StockLevel = {
  stockId: '12',
  location: 'oslo',
  gtin: '7090012340011',
  sku: 'TEE-BLK-M',
  level: parseDecimal(4),
}

/** The input of a method, by its place in the config. */
export function sampleOf(section: string, method: string, count: number): object {
  const key = 'SampleKind:1:sample-flow:'
  const theirId = '99'
  if (section === 'customers') return method === 'upsert' ? { key, theirId, customer } : question(method, count)
  if (section === 'stock') return { key, stock, levels: times(count, () => stock) }
  if (method === 'search') return { number: 'A1' }
  // What is created has no id there yet.
  return { key, ...(!isNew(method) && { theirId }), ...orderSample(method, count) }
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
      return { refund, line, quantity: one }
    case 'expire':
      return { order: { number: 'A1' } }
    default:
      return { order }
  }
}

function question(method: string, count: number): object {
  if (method === 'byEmail') return { email: customer.email }
  return { phones: times(count, () => '+4791234567'), phone: '+4791234567', typed: '91234567' }
}
